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

double feed_forward_cost(const ModelOptions& options, double len) {
  return 2.0 * len * static_cast<double>(options.d_model) * static_cast<double>(options.d_ff);
}

}  // namespace

double forward_flops(const ModelOptions& options, std::int64_t vocab_size, std::int64_t source_len,
                     std::int64_t target_len) {
  const auto source = static_cast<double>(source_len), target = static_cast<double>(target_len);
  const auto encoder_layers = options.encoder_layers, decoder_layers = options.decoder_layers;
  const double encoder =
      attention_cost(options, options.encoder_attention, encoder_layers, source, source) +
      static_cast<double>(encoder_layers) * feed_forward_cost(options, source);
  const double decoder =
      attention_cost(options, options.decoder_attention, decoder_layers, target, target) +
      attention_cost(options, options.cross_attention, decoder_layers, target, source) +
      static_cast<double>(decoder_layers) * feed_forward_cost(options, target);
  const double generator =
      target * static_cast<double>(options.d_model) * static_cast<double>(vocab_size);
  return flops_of_multiply_add * (encoder + decoder + generator);
}

}  // namespace dragoman
