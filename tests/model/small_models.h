#pragma once

#include "dragoman/model/transformer.h"

#include "support/golden_module.h"

#include <string>

namespace test {

constexpr std::int64_t model_vocabulary = 19;

/// One of several models that a test iterates over.
struct NamedModel {
  std::string name;
  dragoman::ModelOptions options;
};

/// With freshly initialised weights, always the same, in evaluation mode.
inline dragoman::Transformer new_model(const dragoman::ModelOptions& options,
                                       torch::ScalarType type = torch::kDouble) {
  torch::manual_seed(5);
  dragoman::Transformer model(options,
                              dragoman::VocabularySizes{model_vocabulary, model_vocabulary});
  model->to(type);
  model->eval();
  return model;
}

/// Three sentences of random pieces without special ones, [3, len].
inline torch::Tensor model_ids(std::int64_t len) {
  return torch::randint(4, model_vocabulary, {3, len});
}

/// Sources of 9, 4 and 6 tokens, [3, 9].
inline torch::Tensor model_mask() {
  return torch::arange(9).unsqueeze(0) < torch::tensor({9, 4, 6}).unsqueeze(1);
}

/// Decoding one token at a time gives the same as the whole sentence.
inline void check_steps(const dragoman::ModelOptions& options,
                        torch::ScalarType type = torch::kDouble) {
  auto model = new_model(options, type);
  const auto source = model_ids(9), target = model_ids(12);
  const auto whole = model->forward(source, model_mask(), target);
  auto state = model->start(model->encode(source, model_mask()).detach(), model_mask());
  for (std::int64_t t = 0; t < target.size(1); ++t) {
    CAPTURE(t);
    CHECK_THAT(model->step(target.select(1, t), state),
               close_to(whole.select(1, t), tolerance_of(type)));
  }
}

/// Later target tokens change nothing, nor do padding and other sentences of the batch.
inline void check_independence(const dragoman::ModelOptions& options) {
  auto model = new_model(options);
  const auto source = model_ids(9), target = model_ids(7);
  const auto batch = model->forward(source, model_mask(), target);
  auto other = target.clone();
  other.narrow(1, 4, 3).fill_(9);
  CHECK_THAT(model->forward(source, model_mask(), other).narrow(1, 0, 4),
             close_to(batch.narrow(1, 0, 4)));
  for (const std::int64_t row : {1, 2}) {
    const auto alone = source.narrow(0, row, 1).narrow(1, 0, row == 1 ? 4 : 6);
    CHECK_THAT(
        model->forward(alone, torch::ones_like(alone, torch::kBool), target.narrow(0, row, 1)),
        close_to(batch.narrow(0, row, 1)));
  }
  const auto garbage = source.masked_fill(model_mask().logical_not(), 17);
  CHECK(same_bits(model->forward(garbage, model_mask(), target), batch));
}

/// A gradient step, to which every weight contributes, lowers the loss. In float32, with dropout.
inline void check_learning(dragoman::ModelOptions options) {
  options.dropout = 0.1;
  auto model = new_model(options, torch::kFloat);
  model->train();
  const auto source = model_ids(9), target = model_ids(8);
  const auto loss = [&] {
    const auto logits = model->forward(source, model_mask(), target.narrow(1, 0, 7));
    return torch::nn::functional::cross_entropy(logits.flatten(0, 1),
                                                target.narrow(1, 1, 7).flatten());
  };
  loss().backward();
  for (const auto& item : model->named_parameters()) {
    CAPTURE(item.key());
    REQUIRE(item.value().grad().defined());
    CHECK(item.value().grad().isfinite().all().item<bool>());
    // Softmax is invariant to a constant added to all keys.
    if (!item.key().ends_with("key.bias"))
      CHECK(item.value().grad().abs().max().item<double>() > 0.0);
  }
  const torch::NoGradGuard no_gradient;
  model->eval();
  const double before = loss().item<double>();
  for (auto& parameter : model->parameters()) parameter -= 0.02 * parameter.grad();
  CHECK(loss().item<double>() < before);
}

/// The number of parameters in the weights whose names begin with a prefix.
inline std::int64_t numbers_held(const dragoman::Transformer& model,
                                 const std::string& prefix = "") {
  std::int64_t numbers = 0;
  for (const auto& item : model->named_parameters())
    if (item.key().starts_with(prefix)) numbers += item.value().numel();
  return numbers;
}

}  // namespace test
