#include "dragoman/kernels/cached_attention.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/small_products.h"
#include "dragoman/kernels/small_softmax.h"

#include <algorithm>

namespace dragoman {

using small::lanes;

namespace {

/// The addresses of one row's keys and values, token by token.
struct RowPast {
  std::vector<const float*> keys, values;

  explicit RowPast(std::size_t tokens) : keys(tokens), values(tokens) {}

  DRAGOMAN_INLINE void look_up(const CachedAttention& input, std::int64_t row) {
    for (std::size_t t = 0; t < keys.size(); ++t) {
      const auto from = input.origin[static_cast<std::int64_t>(t) * input.rows + row];
      keys[t] = input.keys[t] + from * input.num_heads * input.d_k;
      values[t] = input.values[t] + from * input.num_heads * input.d_v;
    }
  }
};

/// Unscaled scores of one head: `vectors` vectors of the query stay in registers; 0 = any width.
template <typename Vector, int vectors>
DRAGOMAN_INLINE void past_scores(const float* query, const RowPast& past, std::int64_t offset,
                                 std::int64_t d_k, float* scores) {
  Vector parts[vectors > 0 ? vectors : 1];
  for (int v = 0; v < vectors; ++v) small::load(parts[v], query + v * lanes);
  const auto tokens = static_cast<std::int64_t>(past.keys.size());
  for (std::int64_t first = 0; first < tokens; first += lanes) {
    Vector products[lanes];
    const auto count = std::min(lanes, tokens - first);
    for (std::int64_t j = 0; j < count; ++j) {
      const float* key = past.keys[static_cast<std::size_t>(first + j)] + offset;
      Vector sum = {};
      if constexpr (vectors == 0) small::add_products(sum, query, key, d_k);
      for (int v = 0; v < vectors; ++v) {
        Vector part;
        small::load(part, key + v * lanes);
        sum += parts[v] * part;
      }
      products[j] = sum;
    }
    for (auto j = count; j < lanes; ++j) products[j] = {};
    small::store(scores + first, small::sum_each(products));
  }
}

/// Weighted sums of the values: `vectors` vectors of all heads' at a time, so that as many
/// additions do not wait for each other.
/// \param weights [num_heads, stride]
template <typename Vector, int vectors>
DRAGOMAN_INLINE void past_context(const float* weights, std::int64_t stride, const RowPast& past,
                                  std::int64_t d_v, std::int64_t first, float* context) {
  Vector sums[vectors] = {};
  const float* of_head[vectors];
  for (int v = 0; v < vectors; ++v) of_head[v] = weights + (first + v * lanes) / d_v * stride;
  for (std::size_t t = 0; t < past.values.size(); ++t)
    for (int v = 0; v < vectors; ++v) {
      Vector part;
      small::load(part, past.values[t] + first + v * lanes);
      sums[v] += part * of_head[v][t];
    }
  for (int v = 0; v < vectors; ++v) small::store(context + first + v * lanes, sums[v]);
}

template <typename Vector>
DRAGOMAN_INLINE void attend_to_cache(const CachedAttention& input, float* context) {
  const auto tokens = static_cast<std::int64_t>(input.keys.size()), stride = small::padded(tokens);
  const auto width = input.num_heads * input.d_v;
  std::vector<float> weights(static_cast<std::size_t>(input.num_heads * stride));
  RowPast past(input.keys.size());
  for (std::int64_t row = 0; row < input.rows; ++row) {
    past.look_up(input, row);
    for (std::int64_t h = 0; h < input.num_heads; ++h) {
      const float* query = input.query + (row * input.num_heads + h) * input.d_k;
      float* of_head = weights.data() + h * stride;
      switch (input.d_k / lanes) {
        case 2: past_scores<Vector, 2>(query, past, h * input.d_k, input.d_k, of_head); break;
        case 4: past_scores<Vector, 4>(query, past, h * input.d_k, input.d_k, of_head); break;
        default: past_scores<Vector, 0>(query, past, h * input.d_k, input.d_k, of_head);
      }
      small::softmax<Vector>(of_head, tokens, input.scale, nullptr);
    }
    constexpr int together =
        Vector::parts == 1 ? 8 : 4 / Vector::parts;  // so that they stay in registers
    float* out = context + row * width;
    std::int64_t at = 0;
    for (; at + together * lanes <= width; at += together * lanes)
      past_context<Vector, together>(weights.data(), stride, past, input.d_v, at, out);
    for (; at < width; at += lanes)
      past_context<Vector, 1>(weights.data(), stride, past, input.d_v, at, out);
  }
}

}  // namespace

void cached_attention(const CachedAttention& input, float* context) {
  run_on_this_cpu([&](auto width) __attribute__((always_inline)) {
    attend_to_cache<small::Vector<width>>(input, context);
  });
}

}  // namespace dragoman
