#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/transformer.h"

#include <torch/nn.h>

#include <cstdint>
#include <span>
#include <vector>

namespace test {

using Ids = std::vector<std::int32_t>;

inline constexpr std::int64_t pieces = 70;

/// A model of 24 features with two layers and three.
inline dragoman::ModelOptions small_options() {
  dragoman::ModelOptions options;
  options.d_model = 24;
  options.d_ff = 40;
  options.num_heads = 4;
  options.encoder_layers = 2;
  options.decoder_layers = 3;
  return options;
}

/// One with random weights that its options do not leave near zero.
inline dragoman::Transformer model_of(const dragoman::ModelOptions& options, std::uint64_t seed = 5,
                                      std::int64_t vocab_size = pieces) {
  torch::manual_seed(seed);
  dragoman::Transformer model(options, dragoman::VocabularySizes{vocab_size, vocab_size});
  const torch::NoGradGuard no_gradient;
  for (auto& parameter : model->parameters())
    parameter.add_(torch::randn_like(parameter), parameter.dim() > 1 ? 0.1 : 0.2);
  model->eval();
  return model;
}

/// Random pieces, with EOS at the end of each.
inline std::vector<Ids> sentences(const std::vector<std::int64_t>& lengths, std::uint64_t seed) {
  torch::manual_seed(seed);
  std::vector<Ids> result;
  for (const auto length : lengths) {
    auto& ids = result.emplace_back();
    const auto random = torch::randint(4, pieces, {length});
    for (std::int64_t i = 0; i + 1 < length; ++i)
      ids.push_back(static_cast<std::int32_t>(random[i].item<std::int64_t>()));
    ids.push_back(3);
  }
  return result;
}

inline std::vector<std::span<const std::int32_t>> views(const std::vector<Ids>& sentences) {
  return {sentences.begin(), sentences.end()};
}

}  // namespace test
