#pragma once

#include "dragoman/model/transformer.h"
#include "model/small_models.h"

#include <torch/nn.h>

#include <cstdint>
#include <vector>

namespace test {

/// Of ids below `model_vocabulary`.
inline std::vector<std::vector<std::int32_t>> sentences() {
  return {{5, 9, 12, 7, 3}, {4, 3}, {18, 17, 6, 6, 11, 8, 3}, {10, 14, 3}};
}

/// A float64 model with weights large enough for confident predictions.
inline dragoman::Transformer confident_model(std::uint64_t seed,
                                             const dragoman::ModelOptions& given = {}) {
  auto options = given;
  options.d_model = 16;
  options.d_ff = 32;
  options.num_heads = 4;
  options.encoder_layers = options.decoder_layers = 2;
  torch::manual_seed(seed);
  dragoman::Transformer model(options,
                              dragoman::VocabularySizes{model_vocabulary, model_vocabulary});
  model->to(torch::kDouble);
  const torch::NoGradGuard no_gradient;
  for (auto& weight : model->parameters())
    if (weight.dim() > 1) weight.mul_(1.6);
  return model;
}

/// Options that have each kind of layer and of attention somewhere.
inline std::vector<dragoman::ModelOptions> layers_of_every_kind() {
  using dragoman::AttentionKind, dragoman::DecoderLayerKind, dragoman::EncoderLayerKind;
  std::vector<dragoman::ModelOptions> kinds(7);
  kinds[0].encoder_layer = EncoderLayerKind::lstm;
  kinds[0].decoder_layer = DecoderLayerKind::lstm;
  kinds[1].encoder_layer = EncoderLayerKind::conv;
  kinds[1].decoder_layer = DecoderLayerKind::ssru;
  kinds[2].decoder_layer = DecoderLayerKind::average_attention;
  const auto attend = [&](std::size_t i, const dragoman::HeadAttention& encoder,
                          const dragoman::HeadAttention& decoder) {
    kinds[i].encoder_attention.layers.front().common = encoder;
    kinds[i].decoder_attention.layers.front().common = decoder;
  };
  attend(2, {.kind = AttentionKind::low_rank, .rank = 3, .max_length = 32}, {});
  attend(3, {.kind = AttentionKind::longformer, .radius = 1},
         {.kind = AttentionKind::local, .radius = 2});
  attend(4, {.kind = AttentionKind::linear}, {.kind = AttentionKind::linear});
  attend(5, {.kind = AttentionKind::tiled, .block = 4}, {.kind = AttentionKind::tiled, .block = 4});
  kinds[5].cross_attention.layers.front().common = {.kind = AttentionKind::tiled, .block = 4};
  attend(6, {.kind = AttentionKind::strided_relative, .stride = 3},
         {.kind = AttentionKind::sparse_fixed, .stride = 3, .summary = 1});
  return kinds;
}

}  // namespace test
