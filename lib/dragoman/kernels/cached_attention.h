#pragma once

#include <cstdint>
#include <vector>

namespace dragoman {

/// The inputs of one step of cached attention: one query per row, and keys and values stored token
/// by token.
struct CachedAttention {
  std::int64_t rows = 0, num_heads = 0, d_k = 0,
               d_v = 0;  ///< widths are multiples of `small::lanes`
  float scale = 1.0F;
  const float* query = nullptr;  ///< [rows, num_heads * d_k]
  /// Per token, of which there is at least one: [rows at that time, num_heads * width].
  std::vector<const float*> keys = {}, values = {};
  const std::int64_t* origin = nullptr;  ///< [tokens, rows]: which row of the token a row continues
};

/// softmax(q K^T * scale) V for each row and head. \param context written, [rows, num_heads * d_v]
void cached_attention(const CachedAttention& input, float* context);

}  // namespace dragoman
