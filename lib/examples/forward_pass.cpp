// The paper's base model, untrained: one forward pass of two sentences.
#include <dragoman/model/transformer.h>

#include <iostream>

int main() {
  const torch::NoGradGuard no_gradient;
  dragoman::Transformer model(dragoman::ModelOptions{}, dragoman::VocabularySizes{100, 100});
  model->eval();
  const auto source = torch::randint(4, 100, {2, 7}), target = torch::randint(4, 100, {2, 5});
  const auto logits = model->forward(source, torch::ones_like(source, torch::kBool), target);
  std::cout << logits.sizes() << '\n';  // [2, 5, 100]: batch, target length, vocabulary
}
