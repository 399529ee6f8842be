#include "dragoman/inference/engine_weights.h"

#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/kernels/small_products.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

using Numbers = std::vector<float>;

/// A matrix of `rows` rows, and a number for each of them, or none.
struct Map {
  std::int64_t rows = 0, columns = 0;
  Numbers weight = {}, bias = {};
};

/// The rows of each group, followed by rows of zeros up to `padded_group`.
Map with_padded_rows(Map map, std::int64_t group, std::int64_t padded_group) {
  if (group == padded_group) return map;
  const auto groups = map.rows / group;
  Map padded{.rows = groups * padded_group, .columns = map.columns};
  padded.weight.resize(static_cast<std::size_t>(padded.rows * padded.columns));
  if (!map.bias.empty()) padded.bias.resize(static_cast<std::size_t>(padded.rows));
  for (std::int64_t g = 0; g < groups; ++g) {
    std::copy_n(map.weight.begin() + g * group * map.columns, group * map.columns,
                padded.weight.begin() + g * padded_group * map.columns);
    if (!map.bias.empty())
      std::copy_n(map.bias.begin() + g * group, group, padded.bias.begin() + g * padded_group);
  }
  return padded;
}

/// The same for columns.
Map with_padded_columns(Map map, std::int64_t group, std::int64_t padded_group) {
  if (group == padded_group) return map;
  const auto groups = map.columns / group;
  Map padded{.rows = map.rows, .columns = groups * padded_group, .bias = map.bias};
  padded.weight.resize(static_cast<std::size_t>(padded.rows * padded.columns));
  for (std::int64_t g = 0; g < map.rows * groups; ++g)
    std::copy_n(map.weight.begin() + g * group, group, padded.weight.begin() + g * padded_group);
  return padded;
}

class EngineReader {
 public:
  EngineReader(const ModelOptions& options, WeightReader& reader, WeightType type)
      : options_(options), reader_(reader), type_(type) {}

  EngineWeights read(const VocabularySizes& vocabulary) {
    EngineWeights weights{.options = options_, .vocabulary = vocabulary};
    if (options_.position == Position::learned)
      weights.positions =
          reader_.read("positions.weight", {options_.max_positions, options_.d_model});
    read_embeddings(weights);
    if (options_.embedding_norm) {
      weights.source_embedding_norm = norm("source_embedding_norm");
      weights.target_embedding_norm = norm("target_embedding_norm");
    }
    if (options_.start_vector == StartVector::zero)
      weights.start_vector.assign(static_cast<std::size_t>(options_.d_model), 0.0F);
    if (options_.start_vector == StartVector::learned)
      weights.start_vector = reader_.read("start_vector", {options_.d_model});
    for (std::int64_t i = 0; i < options_.encoder_layers; ++i)
      weights.encoder.push_back(encoder_layer(i));
    for (std::int64_t i = 0; i < options_.decoder_layers; ++i)
      weights.decoder.push_back(decoder_layer(i));
    if (options_.norm == NormPosition::pre) {
      weights.encoder_norm = norm("encoder.final_norm");
      weights.decoder_norm = norm("decoder.final_norm");
    }
    reader_.expect_all_read();
    return weights;
  }

 private:
  void read_embeddings(EngineWeights& weights) {
    const auto& vocabulary = weights.vocabulary;
    const auto embedding = [this](const char* name, std::int64_t rows) {
      return std::make_shared<const Numbers>(reader_.read(name, {rows, options_.d_model}));
    };
    if (options_.has_joint_embedding()) {
      weights.source_embedding = weights.target_embedding =
          embedding("embedding.weight", vocabulary.source);
    } else {
      weights.source_embedding = embedding("source_embedding.weight", vocabulary.source);
      weights.target_embedding = embedding("target_embedding.weight", vocabulary.target);
    }
    const auto bias =
        options_.output_bias ? reader_.read("generator.bias", {vocabulary.target}) : Numbers{};
    if (options_.has_own_generator())
      weights.generator =
          packed(reader_.read("generator.weight", {vocabulary.target, options_.d_model}), bias,
                 vocabulary.target, options_.d_model);
    else
      weights.generator =
          packed(*weights.target_embedding, bias, vocabulary.target, options_.d_model);
  }

  /// Without rows if the weight or the bias is missing or wrong.
  Map map(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool bias) {
    Map read{.rows = outputs, .columns = inputs};
    read.weight = reader_.read(name + ".weight", {outputs, inputs});
    if (bias) read.bias = reader_.read(name + ".bias", {outputs});
    const bool lacks_weight = read.weight.empty() && outputs * inputs > 0;
    const bool lacks_bias = bias && read.bias.empty() && outputs > 0;
    return lacks_weight || lacks_bias ? Map{} : read;
  }

  /// No matrix if there is no weight, which `expect_all_read` refuses.
  PackedMatrix packed(const Numbers& weight, const Numbers& bias, std::int64_t rows,
                      std::int64_t columns) const {
    return weight.empty() ? PackedMatrix() : PackedMatrix(weight, bias, rows, columns, type_);
  }

  PackedMatrix packed(const Map& map) const {
    return packed(map.weight, map.bias, map.rows, map.columns);
  }

  LayerNormWeights norm(const std::string& name) {
    return {.weight = reader_.read(name + ".weight", {options_.d_model}),
            .bias = reader_.read(name + ".bias", {options_.d_model}),
            .eps = options_.layer_norm_eps};
  }

  MultiHeadAttentionWeights attention(const std::string& name, const LayerAttention& layer,
                                      StackSide side) {
    const auto options = options_.with_heads_of(side);
    const auto heads = std::ssize(layer.kept_heads(options.num_heads));
    const auto d_k = options.key_width(), d_v = options.value_width();
    const auto linear = [&](const char* part, std::int64_t outputs, std::int64_t inputs) {
      return map(name + part, outputs, inputs, options_.attention_bias);
    };
    auto query = linear(".query", heads * d_k, options_.d_model),
         key = linear(".key", heads * d_k, options_.d_model),
         value = linear(".value", heads * d_v, options_.d_model),
         output = linear(".output", options_.d_model, heads * d_v);
    MultiHeadAttentionWeights weights{.num_heads = heads,
                                      .d_k = small::padded(d_k),
                                      .d_v = small::padded(d_v),
                                      .scale = static_cast<float>(options.attention_scale()),
                                      .output_bias = output.bias};
    if (heads == 0) return weights;
    weights.query = packed(with_padded_rows(std::move(query), d_k, weights.d_k));
    weights.key = packed(with_padded_rows(std::move(key), d_k, weights.d_k));
    weights.value = packed(with_padded_rows(std::move(value), d_v, weights.d_v));
    weights.output = packed(with_padded_columns(std::move(output), d_v, weights.d_v));
    return weights;
  }

  FeedForwardWeights feed_forward(const std::string& name, std::int64_t d_ff) {
    return {.inner = packed(map(name + ".inner", d_ff, options_.d_model, true)),
            .outer = packed(map(name + ".outer", options_.d_model, d_ff, true))};
  }

  RecurrenceWeights recurrence(const std::string& name) {
    const auto d_model = options_.d_model;
    const auto square = [&](const char* part, bool bias) {
      return packed(map(name + part, d_model, d_model, bias));
    };
    if (options_.decoder_layer == DecoderLayerKind::ssru)
      return SsruWeights{.input = square(".input", false),
                         .forget = square(".forget", true),
                         .output = options_.ssru_output ? square(".output", true) : PackedMatrix()};
    if (options_.decoder_layer != DecoderLayerKind::average_attention) return {};
    AverageAttentionWeights weights;
    auto width = d_model;
    for (std::int64_t i = 0; i + 1 < options_.average_depth; ++i) {
      weights.inner.push_back(
          packed(map(concat(name, ".inner_", i), options_.average_width(), width, true)));
      width = options_.average_width();
    }
    if (width != d_model) weights.outer = packed(map(name + ".outer", d_model, width, true));
    if (!options_.average_gate) return weights;
    weights.input_gate = square(".input_gate", true);
    weights.mean_gate = square(".mean_gate", true);
    return weights;
  }

  EncoderLayerWeights encoder_layer(std::int64_t index) {
    const auto name = concat("encoder.layers.", index);
    return {
        .self_attention = attention(name + ".self_attention",
                                    options_.encoder_attention.of_layer(index), StackSide::encoder),
        .self_attention_norm = norm(name + ".self_attention_norm"),
        .feed_forward = feed_forward(name + ".feed_forward", options_.d_ff),
        .feed_forward_norm = norm(name + ".feed_forward_norm"),
    };
  }

  DecoderLayerWeights decoder_layer(std::int64_t index) {
    const auto name = concat("decoder.layers.", index);
    const bool attends = options_.has_self_attention(StackSide::decoder);
    const auto past = attends ? "self_attention" : option_text(options_.decoder_layer);
    return {
        .self_attention =
            attends ? attention(concat(name, '.', past), options_.decoder_attention.of_layer(index),
                                StackSide::decoder)
                    : MultiHeadAttentionWeights{},
        .recurrence = recurrence(concat(name, '.', past)),
        .past_norm = norm(concat(name, '.', past, "_norm")),
        .memory_attention = attention(name + ".memory_attention",
                                      options_.cross_attention.of_layer(index), StackSide::cross),
        .memory_attention_norm = norm(name + ".memory_attention_norm"),
        .feed_forward = feed_forward(name + ".feed_forward", options_.decoder_inner_width()),
        .feed_forward_norm = norm(name + ".feed_forward_norm"),
    };
  }

  const ModelOptions& options_;
  WeightReader& reader_;
  WeightType type_;
};

}  // namespace

std::string engine_lacks(const ModelOptions& options) {
  const auto text = [](const char* key, const auto& value) {
    return concat("model.", key, '=', option_text(value));
  };
  if (options.encoder_layer != EncoderLayerKind::attention)
    return text("encoder_layer", options.encoder_layer);
  if (options.decoder_layer == DecoderLayerKind::lstm)
    return text("decoder_layer", options.decoder_layer);
  if (!options.norm_later_keys) return "model.norm_later_keys=false";
  if (!is_exact(options.encoder_attention)) return "the kind of model.encoder_attention";
  if (!is_exact(options.decoder_attention)) return "the kind of model.decoder_attention";
  if (!is_exact(options.cross_attention)) return "the kind of model.cross_attention";
  return {};
}

EngineWeights read_engine_weights(const ModelOptions& options, const VocabularySizes& vocabulary,
                                  WeightReader& reader, WeightType type) {
  return EngineReader(options, reader, type).read(vocabulary);
}

}  // namespace dragoman
