#include "dragoman/inference/engine_workspace.h"

#include "dragoman/core/stop.h"
#include "dragoman/kernels/fused_attention.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace dragoman {

namespace {

/// Section 3.5, for positions 0 .. len - 1, computed in float64.
std::vector<float> sinusoids(std::int64_t len, const ModelOptions& options) {
  const auto d_model = options.d_model;
  const bool in_pairs = options.sinusoids == Sinusoids::interleaved;
  const bool inclusive = options.sinusoids == Sinusoids::halves_inclusive;
  const auto last = static_cast<double>(inclusive ? d_model - 2 : d_model);
  std::vector<float> table(static_cast<std::size_t>(len * d_model));
  for (std::int64_t i = 0; i < d_model; i += 2) {
    const double rate = std::pow(10000.0, -static_cast<double>(i) / last);
    const auto sine = in_pairs ? i : i / 2, cosine = in_pairs ? i + 1 : (i + d_model) / 2;
    for (std::int64_t position = 0; position < len; ++position) {
      const double angle = static_cast<double>(position) * rate;
      auto* row = table.data() + position * d_model;
      row[sine] = static_cast<float>(std::sin(angle));
      row[cosine] = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

/// Hides what follows each of `rows` queries. \param first position of the first of them
/// \param bias written, [rows, keys]
void hide_later_keys(std::int64_t first, std::int64_t rows, std::int64_t keys,
                     std::vector<float>& bias) {
  bias.assign(static_cast<std::size_t>(rows * keys), 0.0F);
  for (std::int64_t i = 0; i < rows; ++i)
    std::fill_n(bias.begin() + i * keys + first + i + 1, keys - first - i - 1,
                static_cast<float>(hidden_score));
}

/// \param weights [num_heads, count] \param mean of the heads, written, [count]
void take_mean(std::span<const float> weights, std::int64_t num_heads, std::int64_t count,
               float* mean) {
  for (std::int64_t i = 0; i < count; ++i) {
    float sum = 0.0F;
    for (std::int64_t h = 0; h < num_heads; ++h)
      sum += weights[static_cast<std::size_t>(h * count + i)];
    mean[i] = sum / static_cast<float>(num_heads);
  }
}

}  // namespace

const float* EngineWorkspace::position_row(std::int64_t position) {
  const auto& options = weights_.options;
  if (options.position == Position::none) return nullptr;
  position += options.position_offset;
  if (options.position == Position::learned) {
    expect_position(position, options.max_positions);
    return weights_.positions.data() + position * options.d_model;
  }
  const auto known = std::ssize(sinusoids_) / options.d_model;
  if (position >= known)
    sinusoids_ = sinusoids(std::max<std::int64_t>({256, 2 * known, position + 1}), options);
  return sinusoids_.data() + position * options.d_model;
}

void EngineWorkspace::embed(const float* vector, float scale, std::int64_t position,
                            const LayerNormWeights& norm, float* x) {
  scale_and_add(vector, scale, position_row(position), weights_.options.d_model, x);
  final_norm(norm, x, 1);
}

void EngineWorkspace::embed_source(std::int64_t id, std::int64_t position, float* x) {
  embed(weights_.source_embedding->data() + id * weights_.options.d_model,
        static_cast<float>(weights_.options.embedding_factor()), position,
        weights_.source_embedding_norm, x);
}

void EngineWorkspace::embed_target(std::int64_t id, std::int64_t position, float* x) {
  if (position == 0 && !weights_.start_vector.empty())
    return embed(weights_.start_vector.data(), 1.0F, position, weights_.target_embedding_norm, x);
  embed(weights_.target_embedding->data() + id * weights_.options.d_model,
        static_cast<float>(weights_.options.embedding_factor()), position,
        weights_.target_embedding_norm, x);
}

void EngineWorkspace::pack(const float* x, std::int64_t rows, const PackedMatrix& first) {
  packed_.set(x, rows, first.inputs(), first.type());
}

void EngineWorkspace::multiply_packed(const PackedMatrix& matrix, const ProductResult& result) {
  const auto work = [&](std::int64_t first, std::int64_t last) {
    matrix.multiply(packed_, result, first, last);
  };
  team_.share(matrix.panels(), matrix.grain(packed_), std::cref(work));  // without an allocation
}

void EngineWorkspace::multiply_packed(const PackedMatrix& matrix, const ProductResult& result,
                                      std::int64_t panels,
                                      const std::function<void(std::int64_t)>& then) {
  const auto pieces_of = [panels](std::int64_t n) { return (n + panels - 1) / panels; };
  const auto work = [&](std::int64_t first, std::int64_t last) {
    for (auto piece = first; piece < last; ++piece) {
      matrix.multiply(packed_, result, piece * panels,
                      std::min((piece + 1) * panels, matrix.panels()));
      then(piece);
    }
  };
  team_.share(pieces_of(matrix.panels()), pieces_of(matrix.grain(packed_)), std::cref(work));
}

void EngineWorkspace::multiply(const PackedMatrix& matrix, const float* x, std::int64_t rows,
                               const ProductResult& result) {
  pack(x, rows, matrix);
  multiply_packed(matrix, result);
}

void EngineWorkspace::multiply(const PackedMatrix& matrix, const float* x, std::int64_t rows,
                               Activation activation, float* c) {
  multiply(matrix, x, rows, {.c = c, .relu = activation == Activation::relu});
  const auto count = rows * matrix.outputs();
  switch (activation) {
    case Activation::relu: return;
    case Activation::gelu: return gelu(c, count);
    case Activation::gelu_tanh: return gelu_tanh(c, count);
    case Activation::gelu_sigmoid: return swish(c, count, 1.702F);
    case Activation::swish: return swish(c, count);
  }
}

void EngineWorkspace::feed_forward(const FeedForwardWeights& network, const LayerNormWeights& norm,
                                   float* x, std::int64_t rows) {
  add_norm(norm, x, rows, [&](const float* input, const ProductResult& result) {
    float* hidden = hidden_.of_size(rows * network.inner.outputs());
    multiply(network.inner, input, rows, weights_.options.activation, hidden);
    multiply(network.outer, hidden, rows, result);
  });
}

EngineWorkspace::Heads EngineWorkspace::project_query(const MultiHeadAttentionWeights& attention,
                                                      const float* x, std::int64_t rows) {
  float* query = query_.of_size(rows * attention.keys_width());
  multiply(attention.query, x, rows, {.c = query});
  return {query, context_.of_size(rows * attention.values_width())};
}

void EngineWorkspace::project_memory(const MultiHeadAttentionWeights& attention,
                                     const float* memory, std::int64_t rows, float* keys,
                                     float* values) {
  pack(memory, rows, attention.key);
  multiply_packed(attention.key, {.c = keys});
  multiply_packed(attention.value, {.c = values});
}

EngineWorkspace::Heads EngineWorkspace::project(const MultiHeadAttentionWeights& attention,
                                                const LayerRows& x, float* keys, float* values) {
  const auto heads = project_query(attention, x.normed, x.rows);
  if (!weights_.options.norm_keys) pack(x.x, x.rows, attention.key);
  multiply_packed(attention.key, {.c = keys});
  multiply_packed(attention.value, {.c = values});
  return heads;
}

void EngineWorkspace::self_attend(const MultiHeadAttentionWeights& attention,
                                  std::span<const RowRange> sentences, const LayerRows& x,
                                  bool causal, const ProductResult& result, std::int64_t block) {
  if (attention.num_heads == 0) return add_output_bias(attention, x.rows, result);
  float* keys = key.of_size(x.rows * attention.keys_width());
  float* values = value.of_size(x.rows * attention.values_width());
  const auto heads = project(attention, x, keys, values);
  for (const auto& [first, count] : sentences)
    attend(attention, heads.from(first, attention), count,
           {.keys = keys + first * attention.keys_width(),
            .values = values + first * attention.values_width(),
            .rows = count},
           causal, nullptr, block);
  multiply(attention.output, heads.context, x.rows, result);
}

void EngineWorkspace::add_output_bias(const MultiHeadAttentionWeights& attention, std::int64_t rows,
                                      const ProductResult& result) const {
  const auto d_model = weights_.options.d_model;
  for (std::int64_t i = 0; i < rows * d_model; ++i) {
    const float bias = attention.output_bias.empty()
                           ? 0.0F
                           : attention.output_bias[static_cast<std::size_t>(i % d_model)];
    result.c[i] = result.residual == nullptr ? bias : result.residual[i] + bias;
  }
}

void EngineWorkspace::attend(const MultiHeadAttentionWeights& attention, const Heads& heads,
                             std::int64_t queries, const Memory& memory, bool causal,
                             float* mean_weights, std::int64_t block) const {
  std::vector<float> bias, weights;
  for (std::int64_t first = 0; first < queries; first += block) {
    expect_no_stop(stop);
    const auto rows = std::min(block, queries - first);
    // The last query of a block sees the most.
    const auto keys = causal ? first + rows : memory.rows;
    FusedAttention<float> input{.num_heads = attention.num_heads,
                                .query_len = rows,
                                .key_len = keys,
                                .d_k = attention.d_k,
                                .d_v = attention.d_v,
                                .scale = attention.scale};
    input.query = {heads.query + first * attention.keys_width(), 0, attention.d_k,
                   attention.keys_width()};
    input.key = {memory.keys, 0, attention.d_k, attention.keys_width()};
    input.value = {memory.values, 0, attention.d_v, attention.values_width()};
    if (causal && rows > 1) {
      hide_later_keys(first, rows, keys, bias);
      input.bias = {bias.data(), 0, 0, keys};
    }
    HeadsView<float> of_heads;
    if (mean_weights != nullptr) {
      weights.resize(static_cast<std::size_t>(attention.num_heads * rows * keys));
      of_heads = {weights.data(), 0, rows * keys, keys};
    }
    const HeadsView<float> context{heads.context + first * attention.values_width(), 0,
                                   attention.d_v, attention.values_width()};
    fused_attention_forward(input, context, of_heads, 0, attention.num_heads);
    if (mean_weights != nullptr)
      take_mean(weights, attention.num_heads, rows * keys, mean_weights + first * keys);
  }
}

void final_norm(const LayerNormWeights& norm, float* x, std::int64_t rows) {
  if (norm.weight.empty()) return;
  layer_norm_rows(x, rows, std::ssize(norm.weight), norm.norm(), x);
}

}  // namespace dragoman
