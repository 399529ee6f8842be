#pragma once

#include "dragoman/attention/full.h"

#include <cstdint>

namespace dragoman {

/// The result of tiled attention, kept for its backward pass.
struct TiledResult {
  at::Tensor context;  ///< [batch, num_heads, query_len, d_v]
  at::Tensor
      logsumexp;  ///< of each query's scores, [batch, num_heads, query_len]; -inf if it sees none
};

/// softmax(Q K^T * scale) V without a matrix of all weights (Dao et al. 2022, "FlashAttention";
/// Milakov and Gimelshein 2018 for the running maximum and sum): tiles of `block` queries by
/// `block` keys, one at a time. The backward pass recomputes the scores of each tile. Exact: only
/// the order of sums differs from `full`. Stored in addition to inputs and outputs: one tile and
/// two numbers per query.
/// \param mask a structured mask stores nothing per pair either; positions of queries and keys both
///     count from 0
TiledResult tiled_attention(const at::Tensor& query, const KeyValue& memory,
                            const AttentionMask& mask, const AttentionSettings& settings,
                            std::int64_t block);

/// `tiled_attention` as a strategy; if weights are requested, all are computed.
class TiledAttention : public ExactAttention {
 public:
  /// \param block queries and keys per tile
  explicit TiledAttention(std::int64_t block) : block_(block) {}

  AttentionResult attend(const at::Tensor& query, const KeyValue& memory, const AttentionMask& mask,
                         const AttentionSettings& settings) const override;

 private:
  std::int64_t block_;
};

}  // namespace dragoman
