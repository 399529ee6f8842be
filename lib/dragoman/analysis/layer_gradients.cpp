#include "dragoman/analysis/layer_gradients.h"

#include "dragoman/analysis/model_parts.h"

#include <torch/nn.h>

#include <cmath>

namespace dragoman {

namespace {

double gradient_norm(const torch::nn::Module& layer) {
  double squares = 0.0;
  for (const auto& weight : layer.parameters())
    if (weight.grad().defined())
      squares += weight.grad().to(at::kDouble).square().sum().item<double>();
  return std::sqrt(squares);
}

std::vector<double> gradient_norms(TransformerImpl& model, const char* stack, std::int64_t layers) {
  std::vector<double> norms;
  for (std::int64_t i = 0; i < layers; ++i) {
    auto place = layer_place(stack, i);
    place.pop_back();
    norms.push_back(gradient_norm(part<torch::nn::Module>(model, place)));
  }
  return norms;
}

}  // namespace

GradientNorms layer_gradients(Transformer model, const Batch& batch) {
  model->eval();
  model->zero_grad();
  (negative_log_likelihood(*model, batch) / static_cast<double>(batch.target_tokens)).backward();
  const auto& options = model->options();
  GradientNorms norms{.encoder = gradient_norms(*model, "encoder", options.encoder_layers),
                      .decoder = gradient_norms(*model, "decoder", options.decoder_layers)};
  model->zero_grad();
  return norms;
}

}  // namespace dragoman
