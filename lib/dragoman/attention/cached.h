#pragma once

#include "dragoman/attention/key_value_cache.h"

namespace dragoman {

/// Whether `cached_attention` supports this: float32 on a CPU, head widths that are a multiple of
/// the vector width, no gradient.
bool suits_cached_attention(const at::Tensor& query, const KeyValueCache& past);

/// Attention of each row's newest token over its past, read in place.
/// \param query [rows, num_heads, 1, d_k]
/// \return [rows, num_heads, 1, d_v]
at::Tensor cached_attention(const at::Tensor& query, const KeyValueCache& past, double scale);

}  // namespace dragoman
