#include "dragoman/model/flops.h"

#include "dragoman/attention/keys_per_query.h"
#include "dragoman/model/parameter_count.h"

#include <algorithm>

namespace dragoman {

namespace {

constexpr double flops_of_multiply_add = 2.0;

// Multiply-adds of a layer's parts for one token.

/// The eight linear maps of an LSTM.
double lstm_cost(double inputs, double features) { return 4.0 * features * (inputs + features); }

double feed_forward_cost(const ModelOptions& options, std::int64_t d_ff) {
  return 2.0 * static_cast<double>(options.d_model) * static_cast<double>(d_ff);
}

/// What mixes encoder positions, apart from attention.
double encoder_mixing_cost(const ModelOptions& options) {
  const auto d_model = static_cast<double>(options.d_model);
  double cost = 0.0;
  if (options.has_convolution())
    cost += static_cast<double>(options.conv_width) * d_model * d_model;
  if (options.encoder_layer == EncoderLayerKind::lstm)
    cost += 2.0 * lstm_cost(d_model, d_model / 2.0);
  return cost;
}

/// The same for the decoder.
double decoder_mixing_cost(const ModelOptions& options) {
  const auto d_model = static_cast<double>(options.d_model);
  switch (options.decoder_layer) {
    case DecoderLayerKind::attention: return 0.0;
    case DecoderLayerKind::lstm: return lstm_cost(d_model, d_model);
    case DecoderLayerKind::ssru: return (options.ssru_output ? 3.0 : 2.0) * d_model * d_model;
    case DecoderLayerKind::average_attention:
      return static_cast<double>(average_attention_count(options).weights);
  }
  return 0.0;
}

}  // namespace

ForwardFlops::Stack::Stack(const ModelOptions& options, const StackAttention& attention,
                           StackSide side, std::int64_t layers)
    : width_(static_cast<double>(options.key_width() + options.value_width())) {
  const auto d_k = static_cast<double>(options.key_width());
  const auto d_v = static_cast<double>(options.value_width());
  std::vector<HeadAttention> kinds;
  double heads = 0.0;
  for (std::int64_t layer = 0; layer < layers; ++layer)
    for (const auto& head : attention.of_layer(layer).of_heads(options.num_heads)) {
      const auto found = std::find(kinds.begin(), kinds.end(), head);
      const auto place = static_cast<std::size_t>(found - kinds.begin());
      if (found == kinds.end()) {
        kinds.push_back(head);
        alike_.push_back({0.0, keys_per_query(head, d_k, d_v, side)});
      }
      ++alike_[place].heads;
      ++heads;
    }
  projected_ = heads * static_cast<double>(options.d_model);
}

/// Four projections, then scores and weighted sum of each remaining head.
double ForwardFlops::Stack::operator()(double query_len, double key_len) const {
  double keys = 0.0;
  for (const auto& group : alike_) keys += group.heads * group.keys(key_len);
  return (projected_ * (query_len + key_len) + query_len * keys) * width_;
}

ForwardFlops::ForwardFlops(const ModelOptions& options, std::int64_t vocab_size)
    : source_token_(static_cast<double>(options.encoder_layers) *
                    (encoder_mixing_cost(options) + feed_forward_cost(options, options.d_ff))),
      target_token_(static_cast<double>(options.decoder_layers) *
                        (decoder_mixing_cost(options) +
                         feed_forward_cost(options, options.decoder_inner_width())) +
                    static_cast<double>(options.d_model) * static_cast<double>(vocab_size)),
      cross_(options.with_heads_of(StackSide::cross), options.cross_attention, StackSide::cross,
             options.decoder_layers) {
  if (options.has_self_attention(StackSide::encoder))
    encoder_ =
        Stack(options, options.encoder_attention, StackSide::encoder, options.encoder_layers);
  if (options.has_self_attention(StackSide::decoder))
    decoder_ = Stack(options.with_heads_of(StackSide::decoder), options.decoder_attention,
                     StackSide::decoder, options.decoder_layers);
}

double ForwardFlops::operator()(std::int64_t source_len, std::int64_t target_len) const {
  const auto source = static_cast<double>(source_len), target = static_cast<double>(target_len);
  return flops_of_multiply_add *
         (source * source_token_ + encoder_(source, source) + target * target_token_ +
          decoder_(target, target) + cross_(target, source));
}

double forward_flops(const ModelOptions& options, std::int64_t vocab_size, std::int64_t source_len,
                     std::int64_t target_len) {
  return ForwardFlops(options, vocab_size)(source_len, target_len);
}

}  // namespace dragoman
