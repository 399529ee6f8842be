#include "dragoman/model/flops.h"

#include <algorithm>

namespace dragoman {

namespace {

constexpr double flops_of_multiply_add = 2.0;

/// Multiply-adds of one attention in every layer of a stack: four projections, then scores and
/// weighted sum of each remaining head.
double attention_cost(const ModelOptions& options, const StackAttention& stack, std::int64_t layers,
                      double query_len, double key_len) {
  const auto width = static_cast<double>(options.key_width() + options.value_width());
  double keys = 0.0, heads = 0.0;
  for (std::int64_t layer = 0; layer < layers; ++layer)
    for (const auto& head : stack.of_layer(layer).of_heads(options.num_heads)) {
      keys += keys_of_a_query(head, key_len, width / 2.0);
      ++heads;
    }
  return (heads * (query_len + key_len) * static_cast<double>(options.d_model) + query_len * keys) *
         width;
}

/// Multiply-adds of the eight linear maps of an LSTM.
double lstm_cost(double inputs, double features, double len) {
  return len * 4.0 * features * (inputs + features);
}

/// Multiply-adds of the sub-layers that mix encoder positions, over all layers.
double encoder_mixing_cost(const ModelOptions& options, double len) {
  const auto d_model = static_cast<double>(options.d_model);
  const auto layers = static_cast<double>(options.encoder_layers);
  double cost = 0.0;
  if (options.has_convolution())
    cost += layers * len * static_cast<double>(options.conv_width) * d_model * d_model;
  if (options.encoder_layer == EncoderLayerKind::lstm)
    cost += layers * 2.0 * lstm_cost(d_model, d_model / 2.0, len);
  if (options.has_self_attention(StackSide::encoder))
    cost += attention_cost(options, options.encoder_attention, options.encoder_layers, len, len);
  return cost;
}

/// The same for the decoder.
double decoder_mixing_cost(const ModelOptions& options, double len) {
  const auto d_model = static_cast<double>(options.d_model);
  return options.has_self_attention(StackSide::decoder)
             ? attention_cost(options, options.decoder_attention, options.decoder_layers, len, len)
             : static_cast<double>(options.decoder_layers) * lstm_cost(d_model, d_model, len);
}

double feed_forward_cost(const ModelOptions& options, double len) {
  return 2.0 * len * static_cast<double>(options.d_model) * static_cast<double>(options.d_ff);
}

}  // namespace

double keys_of_a_query(const HeadAttention& head, double len, double head_width) {
  const auto radius = static_cast<double>(head.radius),
             dilation = static_cast<double>(head.dilation);
  const auto stride = static_cast<double>(head.stride), rank = static_cast<double>(head.rank);
  const auto window = std::min(2.0 * radius + 1.0, len);
  // Every `dilation`-th of a wider window.
  const auto wide = std::min(2.0 * radius + 1.0, len / dilation);
  // A global position is seen by all and sees all.
  const auto global = 2.0 * static_cast<double>(head.global_positions.size());
  double keys = len;
  switch (head.kind) {
    case AttentionKind::full:
    case AttentionKind::tiled:
    case AttentionKind::fused_torch: break;
    case AttentionKind::local: keys = window; break;
    case AttentionKind::dilated: keys = wide; break;
    case AttentionKind::strided: keys = 1.0 + len / stride; break;
    case AttentionKind::strided_relative: keys = len / stride; break;
    // Only the past: half of the columns, and for `sparse_fixed` half of the block too.
    case AttentionKind::sparse_strided: keys = stride + len / stride / 2.0; break;
    case AttentionKind::sparse_fixed:
      keys = stride / 2.0 + static_cast<double>(head.summary) * len / stride / 2.0;
      break;
    case AttentionKind::global_local: keys = window + global; break;
    case AttentionKind::longformer: keys = window + wide * (1.0 - 1.0 / dilation) + global; break;
    // phi(k) v^T is accumulated, then multiplied by phi(q).
    case AttentionKind::linear: return head_width;
    // Keys and values are projected, then attended to.
    case AttentionKind::low_rank: return 2.0 * rank;
  }
  return std::min(keys, len);
}

double forward_flops(const ModelOptions& options, std::int64_t vocab_size, std::int64_t source_len,
                     std::int64_t target_len) {
  const auto source = static_cast<double>(source_len), target = static_cast<double>(target_len);
  const double encoder =
      encoder_mixing_cost(options, source) +
      static_cast<double>(options.encoder_layers) * feed_forward_cost(options, source);
  const double decoder =
      decoder_mixing_cost(options, target) +
      attention_cost(options, options.cross_attention, options.decoder_layers, target, source) +
      static_cast<double>(options.decoder_layers) * feed_forward_cost(options, target);
  const double generator =
      target * static_cast<double>(options.d_model) * static_cast<double>(vocab_size);
  return flops_of_multiply_add * (encoder + decoder + generator);
}

}  // namespace dragoman
