#pragma once

#include "dragoman/translate/run.h"
#include "support/catch.h"
#include "text/text_support.h"

#include <torch/utils.h>

namespace test {

/// A model of two layers and two heads that has learned nothing, with a tokenizer of letters.
inline dragoman::LoadedRun small_run(dragoman::NormPosition norm = dragoman::NormPosition::post) {
  torch::manual_seed(7);
  const auto tokenizer = small_tokenizer();
  dragoman::LoadedRun run{.options = {},
                          .vocabulary = {.source = tokenizer, .target = tokenizer, .joint = true},
                          .checkpoint = {}};
  auto& options = run.options.model;
  options.d_model = 8;
  options.d_ff = 16;
  options.num_heads = options.encoder_layers = options.decoder_layers = 2;
  options.norm = norm;
  const auto size = tokenizer.vocab_size();
  run.model =
      dragoman::Transformer(options, dragoman::VocabularySizes{.source = size, .target = size});
  run.model->eval();
  return run;
}

}  // namespace test
