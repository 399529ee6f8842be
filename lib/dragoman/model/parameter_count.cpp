#include "dragoman/model/parameter_count.h"

namespace dragoman {

namespace {

PartCount attention_count(const ModelOptions& options) {
  const auto keys = options.num_heads * options.key_width();
  const auto values = options.num_heads * options.value_width();
  PartCount count{.weights = 2 * options.d_model * (keys + values)};
  if (options.attention_bias) count.biases = 2 * keys + values + options.d_model;
  return count;
}

/// What the heads have that pruning took out of a stack.
PartCount pruned_count(const ModelOptions& options, const StackAttention& stack, std::int64_t layers) {
  const auto keys = options.key_width(), values = options.value_width();
  PartCount head{.weights = 2 * options.d_model * (keys + values)};
  if (options.attention_bias) head.biases = 2 * keys + values;
  return stack.pruned_heads(layers) * head;
}

/// The two projections along the sequence of each layer whose attention is `low_rank`.
PartCount low_rank_count(const ModelOptions& options) {
  PartCount count;
  for (std::int64_t i = 0; i < options.encoder_layers; ++i) {
    const auto& layer = options.encoder_attention.of_layer(i);
    if (layer.has(AttentionKind::low_rank))
      count.weights += 2 * layer.common.rank * layer.common.max_length;
  }
  return count;
}

PartCount feed_forward_count(const ModelOptions& options) {
  return {.weights = 2 * options.d_model * options.d_ff, .biases = options.d_ff + options.d_model};
}

PartCount embeddings_count(const ModelOptions& options, const VocabularySizes& vocabulary) {
  const bool one = options.share_embeddings == ShareEmbeddings::all;
  auto rows = one ? vocabulary.target : vocabulary.source + vocabulary.target;
  if (options.position == Position::learned) rows += options.max_positions;
  return {.weights = rows * options.d_model};
}

PartCount generator_count(const ModelOptions& options, const VocabularySizes& vocabulary) {
  const bool own = options.share_embeddings == ShareEmbeddings::none;
  return {.weights = own ? vocabulary.target * options.d_model : 0,
          .biases = options.output_bias ? vocabulary.target : 0};
}

}  // namespace

PartCount& PartCount::operator+=(const PartCount& other) {
  weights += other.weights;
  biases += other.biases;
  return *this;
}

PartCount& PartCount::operator-=(const PartCount& other) { return *this += -1 * other; }

PartCount operator+(PartCount a, const PartCount& b) { return a += b; }

PartCount operator*(std::int64_t times, const PartCount& part) {
  return {.weights = times * part.weights, .biases = times * part.biases};
}

ParameterCount parameter_count(const ModelOptions& options, const VocabularySizes& vocabulary) {
  ParameterCount count;
  count.attention = attention_count(options);
  count.feed_forward = feed_forward_count(options);
  count.norm = {.weights = 2 * options.d_model};
  count.encoder_layer = count.attention + count.feed_forward + 2 * count.norm;
  count.decoder_layer = 2 * count.attention + count.feed_forward + 3 * count.norm;
  const auto final_norm = options.norm == NormPosition::pre ? count.norm : PartCount{};
  count.encoder = options.encoder_layers * count.encoder_layer + final_norm + low_rank_count(options);
  count.encoder -= pruned_count(options, options.encoder_attention, options.encoder_layers);
  count.decoder = options.decoder_layers * count.decoder_layer + final_norm;
  count.decoder -= pruned_count(options, options.decoder_attention, options.decoder_layers);
  count.decoder -= pruned_count(options, options.cross_attention, options.decoder_layers);
  count.embeddings = embeddings_count(options, vocabulary);
  count.generator = generator_count(options, vocabulary);
  count.total = count.encoder + count.decoder + count.embeddings + count.generator;
  return count;
}

}  // namespace dragoman
