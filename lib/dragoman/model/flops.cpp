#include "dragoman/model/flops.h"

namespace dragoman {

namespace {

constexpr double flops_of_multiply_add = 2.0;

/// Multiply-adds of one attention of each layer of a stack: four maps, scores and weighted sum of
/// each head that is there.
double attention_cost(const ModelOptions& options, const StackAttention& stack, std::int64_t layers,
                      double query_len, double key_len) {
  const auto heads = static_cast<double>(layers * options.num_heads - stack.pruned_heads(layers));
  const auto width = heads * static_cast<double>(options.key_width() + options.value_width());
  return ((query_len + key_len) * static_cast<double>(options.d_model) + query_len * key_len) * width;
}

/// Multiply-adds of an LSTM's eight maps.
double lstm_cost(double inputs, double features, double len) {
  return len * 4.0 * features * (inputs + features);
}

/// Multiply-adds of what lets the encoder's positions learn of each other, in all layers.
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

/// The same of the decoder's.
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

double forward_flops(const ModelOptions& options, std::int64_t vocab_size, std::int64_t source_len,
                     std::int64_t target_len) {
  const auto source = static_cast<double>(source_len), target = static_cast<double>(target_len);
  const double encoder = encoder_mixing_cost(options, source) +
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
