#include "dragoman/model/parameter_count.h"

namespace dragoman {

namespace {

PartCount head_count(const ModelOptions& options, StackSide side) {
  const auto of_side = options.with_heads_of(side);
  const auto keys = of_side.key_width(), values = of_side.value_width();
  PartCount head{.weights = 2 * options.d_model * (keys + values)};
  if (options.attention_bias) head.biases = 2 * keys + values;
  return head;
}

PartCount attention_count(const ModelOptions& options, StackSide side) {
  auto count = options.heads_of(side) * head_count(options, side);
  if (options.attention_bias) count.biases += options.d_model;
  return count;
}

/// The two projections along the sequence of each layer whose attention is `low_rank` and has a
/// head left.
PartCount low_rank_count(const ModelOptions& options) {
  PartCount count;
  for (std::int64_t i = 0; i < options.encoder_layers; ++i) {
    const auto& layer = options.encoder_attention.of_layer(i);
    const bool has_heads = !layer.kept_heads(options.heads_of(StackSide::encoder)).empty();
    if (has_heads && layer.has(AttentionKind::low_rank))
      count.weights += 2 * layer.common.rank * layer.common.max_length;
  }
  return count;
}

/// LibTorch's LSTM: four maps of the input and four of the state, each with a bias.
PartCount lstm_count(std::int64_t inputs, std::int64_t features) {
  return {.weights = 4 * features * (inputs + features), .biases = 8 * features};
}

PartCount convolution_count(const ModelOptions& options) {
  return {.weights = options.conv_width * options.d_model * options.d_model,
          .biases = options.d_model};
}

PartCount feed_forward_count(const ModelOptions& options, std::int64_t d_ff) {
  return {.weights = 2 * options.d_model * d_ff, .biases = d_ff + options.d_model};
}

PartCount embeddings_count(const ModelOptions& options, const VocabularySizes& vocabulary) {
  auto rows =
      options.has_joint_embedding() ? vocabulary.target : vocabulary.source + vocabulary.target;
  if (options.position == Position::learned) rows += options.max_positions;
  if (options.embedding_norm) rows += 4;  // two norms of two vectors
  if (options.start_vector == StartVector::learned) ++rows;
  return {.weights = rows * options.d_model};
}

PartCount generator_count(const ModelOptions& options, const VocabularySizes& vocabulary) {
  const bool own = options.has_own_generator();
  return {.weights = own ? vocabulary.target * options.d_model : 0,
          .biases = options.output_bias ? vocabulary.target : 0};
}

std::vector<NamedCount> encoder_sublayers(const ModelOptions& options) {
  std::vector<NamedCount> parts;
  if (options.has_convolution()) parts.push_back({"convolution", convolution_count(options)});
  if (options.encoder_layer == EncoderLayerKind::lstm)
    parts.push_back({"lstm", 2 * lstm_count(options.d_model, options.d_model / 2)});
  if (options.has_self_attention(StackSide::encoder))
    parts.push_back({"self_attention", attention_count(options, StackSide::encoder)});
  parts.push_back({"feed_forward", feed_forward_count(options, options.d_ff)});
  return parts;
}

/// The sub-layer by which a decoder layer reads the positions before.
NamedCount past_count(const ModelOptions& options) {
  const auto d_model = options.d_model;
  switch (options.decoder_layer) {
    case DecoderLayerKind::attention: break;
    case DecoderLayerKind::lstm: return {"lstm", lstm_count(d_model, d_model)};
    case DecoderLayerKind::ssru:
      return {"ssru",
              {.weights = (options.ssru_output ? 3 : 2) * d_model * d_model,
               .biases = (options.ssru_output ? 2 : 1) * d_model}};
    case DecoderLayerKind::average_attention:
      return {"average_attention", average_attention_count(options)};
  }
  return {"self_attention", attention_count(options, StackSide::decoder)};
}

std::vector<NamedCount> decoder_sublayers(const ModelOptions& options) {
  return {past_count(options),
          {"memory_attention", attention_count(options, StackSide::cross)},
          {"feed_forward", feed_forward_count(options, options.decoder_inner_width())}};
}

/// The sub-layers, each with its norm.
PartCount layer_count(const std::vector<NamedCount>& sublayers, const PartCount& norm) {
  PartCount count;
  for (const auto& part : sublayers) count += part.count + norm;
  return count;
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

PartCount average_attention_count(const ModelOptions& options) {
  const auto d_model = options.d_model;
  PartCount count;
  auto width = d_model;
  const auto add = [&](std::int64_t outputs) {
    count += {.weights = width * outputs, .biases = outputs};
    width = outputs;
  };
  for (std::int64_t i = 0; i + 1 < options.average_depth; ++i) add(options.average_width());
  if (width != d_model) add(d_model);
  if (options.average_gate) count += {.weights = 2 * d_model * d_model, .biases = 2 * d_model};
  return count;
}

ParameterCount parameter_count(const ModelOptions& options, const VocabularySizes& vocabulary) {
  ParameterCount count;
  count.attention = attention_count(options, StackSide::encoder);
  count.feed_forward = feed_forward_count(options, options.d_ff);
  count.norm = {.weights = 2 * options.d_model};
  count.encoder_sublayers = encoder_sublayers(options);
  count.decoder_sublayers = decoder_sublayers(options);
  count.encoder_layer = layer_count(count.encoder_sublayers, count.norm);
  count.decoder_layer = layer_count(count.decoder_sublayers, count.norm);
  const auto final_norm = options.norm == NormPosition::pre ? count.norm : PartCount{};
  count.encoder =
      options.encoder_layers * count.encoder_layer + final_norm + low_rank_count(options);
  count.encoder -= options.encoder_attention.pruned_heads(options.encoder_layers) *
                   head_count(options, StackSide::encoder);
  count.decoder = options.decoder_layers * count.decoder_layer + final_norm;
  const auto pruned = options.decoder_attention.pruned_heads(options.decoder_layers) +
                      options.cross_attention.pruned_heads(options.decoder_layers);
  count.decoder -= pruned * head_count(options, StackSide::decoder);
  count.embeddings = embeddings_count(options, vocabulary);
  count.generator = generator_count(options, vocabulary);
  count.total = count.encoder + count.decoder + count.embeddings + count.generator;
  return count;
}

}  // namespace dragoman
