#pragma once

#include "dragoman/decoding/module_model.h"
#include "dragoman/translate/line_translator.h"

#include "text/text_support.h"

#include <torch/nn.h>

#include <cstdint>
#include <string>
#include <vector>

namespace test {

inline dragoman::Vocabulary joint_vocabulary() {
  const auto tokenizer = small_tokenizer();
  return {.source = tokenizer, .target = tokenizer, .joint = true};
}

/// A model of random weights, in double so that batches do not change a digit that matters.
inline dragoman::Transformer random_translation_model(std::uint64_t seed,
                                                      dragoman::ModelOptions options = {}) {
  torch::manual_seed(seed);
  options.d_model = 16;
  options.d_ff = 32;
  options.num_heads = 2;
  options.encoder_layers = options.decoder_layers = 1;
  const auto size = joint_vocabulary().target.vocab_size();
  dragoman::Transformer model(options, dragoman::VocabularySizes{.source = size, .target = size});
  const torch::NoGradGuard no_gradient;
  for (auto& weight : model->parameters())
    if (weight.dim() > 1) weight.mul_(1.5);
  model->to(torch::kDouble);
  model->eval();
  return model;
}

}  // namespace test
