#include "dragoman/attention/fused_kernel.h"

#include "dragoman/attention/small_products.h"
#include "dragoman/attention/small_softmax.h"
#include "dragoman/core/simd.h"

#include <algorithm>

namespace dragoman {

namespace {

using small::Vector;
using small::lanes;
using small::padded;

constexpr std::int64_t few = 8;  // queries: the beams of a sentence

/// Scores of a few queries: without a transposed copy of the keys, which pays for more.
DRAGOMAN_INLINE void few_scores(const small::Rows& query, const small::Rows& key, float* scores,
                                std::int64_t rows, std::int64_t keys, std::int64_t depth) {
  const auto width = padded(keys);
  for (std::int64_t first = 0; first < keys; first += lanes)
    for (std::int64_t i = 0; i < rows; ++i) {
      Vector products[lanes] = {};
      for (std::int64_t j = 0; j < lanes && first + j < keys; ++j)
        small::add_products(products[j], query.data + i * query.row, key.data + (first + j) * key.row, depth);
      small::store(scores + i * width + first, small::sum_each(products));
    }
}

DRAGOMAN_INLINE void multiply_row(float* row, const float* factors, std::int64_t keys) {
  for (std::int64_t j = 0; j < keys; ++j) row[j] *= factors[j];
}

DRAGOMAN_INLINE small::Rows rows_of(const HeadsView<const float>& view, std::int64_t b,
                                    std::int64_t h) {
  return {view.at(b, h), view.row};
}

}  // namespace

DRAGOMAN_FOR_EACH_CPU
void fused_attention_forward(const FusedAttention& input, const HeadsView<float>& context,
                             const HeadsView<float>& weights, std::int64_t first,
                             std::int64_t last) {
  const auto queries = input.query_len, keys = input.key_len, width = padded(keys);
  std::vector<float> transposed(static_cast<std::size_t>(input.d_k * width));
  std::vector<float> scores(static_cast<std::size_t>(queries * width));
  for (std::int64_t n = first; n < last; ++n) {
    const auto b = n / input.num_heads, h = n % input.num_heads;
    const auto query = rows_of(input.query, b, h), key = rows_of(input.key, b, h);
    if (queries <= few) {
      few_scores(query, key, scores.data(), queries, keys, input.d_k);
    } else {
      small::transpose(key, transposed.data(), keys, input.d_k);
      small::multiply({query.data, query.row, 1}, {transposed.data(), width},
                      {scores.data(), width}, queries, width, input.d_k);
    }
    for (std::int64_t i = 0; i < queries; ++i) {
      float* row = scores.data() + i * width;
      small::softmax(row, keys, input.scale,
                  input.bias.data != nullptr ? input.bias.at(b, h) + i * input.bias.row : nullptr);
      if (input.seeing.data != nullptr) {
        const float factor = input.seeing.at(b, h)[i * input.seeing.row];
        for (std::int64_t j = 0; j < keys; ++j) row[j] *= factor;
      }
      if (weights.data != nullptr)
        std::copy_n(row, keys, weights.at(b, h) + i * weights.row);
      if (input.keep.data != nullptr)
        multiply_row(row, input.keep.at(b, h) + i * input.keep.row, keys);
    }
    small::multiply({scores.data(), width, 1}, rows_of(input.value, b, h),
                    {context.at(b, h), context.row}, queries, input.d_v, keys);
  }
}

DRAGOMAN_FOR_EACH_CPU
void fused_attention_backward(const FusedAttention& input, const HeadsView<const float>& weights,
                              const HeadsView<const float>& context_gradient,
                              const FusedGradients& gradients, std::int64_t first,
                              std::int64_t last) {
  const auto queries = input.query_len, keys = input.key_len, width = padded(keys);
  const auto cells = static_cast<std::size_t>(queries * width);
  std::vector<float> transposed(static_cast<std::size_t>(input.d_v * width));
  std::vector<float> kept(cells), change(cells);
  for (std::int64_t n = first; n < last; ++n) {
    const auto b = n / input.num_heads, h = n % input.num_heads;
    const auto outer = rows_of(context_gradient, b, h);
    const auto weight = rows_of(weights, b, h);
    small::transpose(rows_of(input.value, b, h), transposed.data(), keys, input.d_v);
    small::multiply({outer.data, outer.row, 1}, {transposed.data(), width},
                    {change.data(), width}, queries, width, input.d_v);
    for (std::int64_t i = 0; i < queries; ++i) {
      const float* p = weight.data + i * weight.row;
      float* kept_row = kept.data() + i * width;
      float* change_row = change.data() + i * width;
      std::copy_n(p, keys, kept_row);
      if (input.keep.data != nullptr) {
        const float* keep = input.keep.at(b, h) + i * input.keep.row;
        multiply_row(kept_row, keep, keys);
        multiply_row(change_row, keep, keys);
      }
      // The gradient of softmax: p (change - sum of p change).
      float mean = 0.0F;
      for (std::int64_t j = 0; j < keys; ++j) mean += p[j] * change_row[j];
      for (std::int64_t j = 0; j < keys; ++j)
        change_row[j] = p[j] * (change_row[j] - mean) * input.scale;
    }
    small::multiply({kept.data(), 1, width}, outer, {gradients.value.at(b, h), gradients.value.row},
                    keys, input.d_v, queries);
    small::multiply({change.data(), width, 1}, rows_of(input.key, b, h),
                    {gradients.query.at(b, h), gradients.query.row}, queries, input.d_k, keys);
    small::multiply({change.data(), 1, width}, rows_of(input.query, b, h),
                    {gradients.key.at(b, h), gradients.key.row}, keys, input.d_k, queries);
  }
}

}  // namespace dragoman
