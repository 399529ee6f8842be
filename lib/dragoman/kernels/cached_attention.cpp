#include "dragoman/kernels/cached_attention.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/small_products.h"
#include "dragoman/kernels/small_softmax.h"

namespace dragoman {

using small::lanes;
using small::Vector;

namespace {

/// The addresses of one row's keys and values, token by token.
struct RowPast {
  std::vector<const float*> keys, values;

  DRAGOMAN_INLINE void look_up(const CachedAttention& input, std::int64_t row) {
    const auto stride_of = [&input](std::int64_t width) {
      return input.stride > 0 ? input.stride : input.num_heads * width;
    };
    for (std::size_t t = 0; t < keys.size(); ++t) {
      const auto from = input.origin[static_cast<std::int64_t>(t) * input.rows + row];
      keys[t] = input.keys[t] + from * stride_of(input.d_k);
      values[t] = input.values[t] + from * stride_of(input.d_v);
    }
  }
};

/// Unscaled scores of one head: `vectors` vectors of the query stay in registers; 0 = any width.
template <int vectors>
DRAGOMAN_INLINE void past_scores(const float* query, const RowPast& past, std::int64_t offset,
                                 std::int64_t d_k, float* scores) {
  Vector parts[vectors > 0 ? vectors : 1];
  for (int v = 0; v < vectors; ++v) small::load(parts[v], query + v * lanes);
  const auto tokens = static_cast<std::int64_t>(past.keys.size());
  for (std::int64_t first = 0; first < tokens; first += lanes) {
    Vector products[lanes] = {};
    for (std::int64_t j = 0; j < lanes && first + j < tokens; ++j) {
      const float* key = past.keys[static_cast<std::size_t>(first + j)] + offset;
      if constexpr (vectors == 0) small::add_products(products[j], query, key, d_k);
      for (int v = 0; v < vectors; ++v) {
        Vector part;
        small::load(part, key + v * lanes);
        products[j] += parts[v] * part;
      }
    }
    small::store(scores + first, small::sum_each(products));
  }
}

/// Weighted sum of the values, `vectors` vectors of the width at a time.
template <int vectors>
DRAGOMAN_INLINE void past_context(const float* weights, const RowPast& past, std::int64_t offset,
                                  std::int64_t d_v, float* context) {
  for (std::int64_t at = 0; at < d_v; at += vectors * lanes) {
    Vector sums[vectors] = {};
    for (std::size_t t = 0; t < past.values.size(); ++t)
      for (int v = 0; v < vectors; ++v) {
        Vector part;
        small::load(part, past.values[t] + offset + at + v * lanes);
        sums[v] += part * weights[t];
      }
    for (int v = 0; v < vectors; ++v) small::store(context + at + v * lanes, sums[v]);
  }
}

}  // namespace

DRAGOMAN_FOR_EACH_CPU
void cached_attention(const CachedAttention& input, float* context) {
  const auto tokens = static_cast<std::int64_t>(input.keys.size());
  std::vector<float> weights(static_cast<std::size_t>(small::padded(tokens)));
  RowPast past{input.keys, input.values};
  for (std::int64_t row = 0; row < input.rows; ++row) {
    past.look_up(input, row);
    for (std::int64_t h = 0; h < input.num_heads; ++h) {
      const float* query = input.query + (row * input.num_heads + h) * input.d_k;
      switch (input.d_k / lanes) {
        case 2: past_scores<2>(query, past, h * input.d_k, input.d_k, weights.data()); break;
        case 4: past_scores<4>(query, past, h * input.d_k, input.d_k, weights.data()); break;
        default: past_scores<0>(query, past, h * input.d_k, input.d_k, weights.data());
      }
      small::softmax(weights.data(), tokens, input.scale, nullptr);
      float* out = context + (row * input.num_heads + h) * input.d_v;
      if (input.d_v % (2 * lanes) == 0)
        past_context<2>(weights.data(), past, h * input.d_v, input.d_v, out);
      else
        past_context<1>(weights.data(), past, h * input.d_v, input.d_v, out);
    }
  }
}

}  // namespace dragoman
