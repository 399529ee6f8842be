#pragma once

#include "dragoman/attention/attention.h"

#include <cstdint>

namespace dragoman {

/// Keys at most; above, library products are faster, which keep the weights for the backward pass.
inline constexpr std::int64_t longest_fused_attention = 256;

/// Whether `fused_attention` can and should compute this: on a CPU, in float32 or a half-precision
/// type, no more keys than fit comfortably in the cache.
bool suits_fused_attention(const at::Tensor& query, const KeyValue& memory);

/// The same as `product_attention`, in one pass over each head; sums and softmax are in float32.
/// \param mask dense (`AttentionMask::is_dense`)
/// \return a context in bf16 if query, key and value all are, else in float32; weights in float32
AttentionResult fused_attention(const at::Tensor& query, const KeyValue& memory,
                                const AttentionMask& mask, const AttentionSettings& settings);

}  // namespace dragoman
