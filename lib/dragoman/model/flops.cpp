#include "dragoman/model/flops.h"

namespace dragoman {

namespace {

constexpr double flops_of_multiply_add = 2.0;

/// Multiply-adds of one attention sub-layer: its four maps, its scores and its weighted sum.
double attention_cost(const ModelOptions& options, double query_len, double key_len) {
  const auto d_model = static_cast<double>(options.d_model);
  const auto heads = static_cast<double>(options.num_heads);
  const double keys = heads * static_cast<double>(options.key_width());
  const double values = heads * static_cast<double>(options.value_width());
  return (query_len + key_len) * d_model * (keys + values) + query_len * key_len * (keys + values);
}

/// Multiply-adds of an LSTM's eight maps.
double lstm_cost(double inputs, double features, double len) {
  return len * 4.0 * features * (inputs + features);
}

double encoder_mixing_cost(const ModelOptions& options, double len) {
  const auto d_model = static_cast<double>(options.d_model);
  double cost = 0.0;
  if (options.has_convolution())
    cost += len * static_cast<double>(options.conv_width) * d_model * d_model;
  if (options.encoder_layer == EncoderLayerKind::lstm)
    cost += 2.0 * lstm_cost(d_model, d_model / 2.0, len);
  if (options.has_self_attention(StackSide::encoder)) cost += attention_cost(options, len, len);
  return cost;
}

double decoder_mixing_cost(const ModelOptions& options, double len) {
  const auto d_model = static_cast<double>(options.d_model);
  return options.has_self_attention(StackSide::decoder) ? attention_cost(options, len, len)
                                                        : lstm_cost(d_model, d_model, len);
}

double feed_forward_cost(const ModelOptions& options, double len) {
  return 2.0 * len * static_cast<double>(options.d_model) * static_cast<double>(options.d_ff);
}

}  // namespace

double forward_flops(const ModelOptions& options, std::int64_t vocab_size, std::int64_t source_len,
                     std::int64_t target_len) {
  const auto source = static_cast<double>(source_len), target = static_cast<double>(target_len);
  const double encoder_layer =
      encoder_mixing_cost(options, source) + feed_forward_cost(options, source);
  const double decoder_layer = decoder_mixing_cost(options, target) +
                               attention_cost(options, target, source) +
                               feed_forward_cost(options, target);
  const double generator =
      target * static_cast<double>(options.d_model) * static_cast<double>(vocab_size);
  return flops_of_multiply_add *
         (static_cast<double>(options.encoder_layers) * encoder_layer +
          static_cast<double>(options.decoder_layers) * decoder_layer + generator);
}

}  // namespace dragoman
