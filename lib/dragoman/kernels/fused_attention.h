#pragma once

#include "dragoman/kernels/bf16.h"

#include <cstdint>

namespace dragoman {

/// Added to the score of a key that may not be attended to. Finite, so that a row without a visible
/// key has no NaN, and lower than any score: the sum rounds to exactly this number, and its
/// exponential to 0.
inline constexpr double hidden_score = -1e30;

/// The most queries, such as the beams of a sentence, whose scores are computed without a
/// transposed copy of the keys, which pays off only for more.
inline constexpr std::int64_t few_queries = 8;

/// Elements of [batch, num_heads, rows, columns] in memory; columns are contiguous.
template <typename Number>
struct HeadsView {
  Number* data = nullptr;
  std::int64_t batch = 0, head = 0, row = 0;  ///< strides; 0 broadcasts

  Number* at(std::int64_t b, std::int64_t h) const { return data + b * batch + h * head; }
};

/// The inputs of one call of fused attention. \tparam Number float or Bf16
template <typename Number>
struct FusedAttention {
  std::int64_t num_heads = 0, query_len = 0, key_len = 0, d_k = 0, d_v = 0;
  float scale = 1.0F;
  HeadsView<const Number> query = {}, key = {}, value = {};
  HeadsView<const float> bias = {};    ///< [.., key_len] added to scores; data = nullptr for none
  HeadsView<const float> seeing = {};  ///< [.., 1] factor for a query's weights; nullptr for none
  /// [.., key_len] dropout factors of the weights; nullptr for none.
  HeadsView<const float> dropout = {};
};

/// Scaled dot-product attention of heads that fit into the processor's cache, computed in float32.
/// It reads heads in the layout that the projections produce and keeps all data of one head in the
/// cache: for sentences of a few dozen tokens this is several times as fast as batched products
/// with copies and a softmax between them. Computes the heads first .. last - 1 of
/// batch * num_heads.
/// \param context written, [batch, num_heads, query_len, d_v]
/// \param weights written if given, softmax times `seeing`, before dropout
void fused_attention_forward(const FusedAttention<float>& input, const HeadsView<float>& context,
                             const HeadsView<float>& weights, std::int64_t first,
                             std::int64_t last);
void fused_attention_forward(const FusedAttention<Bf16>& input, const HeadsView<Bf16>& context,
                             const HeadsView<float>& weights, std::int64_t first,
                             std::int64_t last);

/// Gradients of query, key and value.
template <typename Number>
struct FusedGradients {
  HeadsView<Number> query, key, value;
};

/// \param weights as written by the forward pass
void fused_attention_backward(const FusedAttention<float>& input,
                              const HeadsView<const float>& weights,
                              const HeadsView<const float>& context_gradient,
                              const FusedGradients<float>& gradients, std::int64_t first,
                              std::int64_t last);
void fused_attention_backward(const FusedAttention<Bf16>& input,
                              const HeadsView<const float>& weights,
                              const HeadsView<const Bf16>& context_gradient,
                              const FusedGradients<Bf16>& gradients, std::int64_t first,
                              std::int64_t last);

}  // namespace dragoman
