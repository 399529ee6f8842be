#pragma once

#include "dragoman/run/loaded_run.h"
#include "dragoman/text/piece_table.h"
#include "support/catch.h"
#include "text/text_support.h"

#include <torch/utils.h>

#include <functional>

namespace test {

/// An untrained model of two layers and two heads, with a tokenizer of letters.
/// \param change modifies its options
inline dragoman::LoadedRun small_run(const std::function<void(dragoman::ModelOptions&)>& change) {
  torch::manual_seed(7);
  const auto tokenizer = small_tokenizer();
  dragoman::LoadedRun run{.options = {},
                          .vocabulary = {.source = tokenizer, .target = tokenizer, .joint = true},
                          .checkpoint = {}};
  auto& options = run.options.model;
  options.d_model = 8;
  options.d_ff = 16;
  options.num_heads = options.encoder_layers = options.decoder_layers = 2;
  change(options);
  const auto size = tokenizer.vocab_size();
  run.model =
      dragoman::Transformer(options, dragoman::VocabularySizes{.source = size, .target = size});
  run.model->eval();
  return run;
}

inline dragoman::LoadedRun small_run(dragoman::NormPosition norm = dragoman::NormPosition::post) {
  return small_run([norm](dragoman::ModelOptions& options) { options.norm = norm; });
}

/// The same with other layers, or with one attention in all layers of the encoder.
inline dragoman::LoadedRun small_run(dragoman::EncoderLayerKind encoder,
                                     dragoman::DecoderLayerKind decoder) {
  return small_run([=](dragoman::ModelOptions& options) {
    options.encoder_layer = encoder;
    options.decoder_layer = decoder;
  });
}
inline dragoman::LoadedRun small_run(const dragoman::HeadAttention& encoder,
                                     const dragoman::HeadAttention& decoder = {}) {
  return small_run([&](dragoman::ModelOptions& options) {
    options.encoder_attention.layers = {{.common = encoder, .heads = {}}};
    options.decoder_attention.layers = {{.common = decoder, .heads = {}}};
  });
}

}  // namespace test
