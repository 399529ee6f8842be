#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

/// Projected keys and values of one attention.
struct KeyValue {
  at::Tensor key;    ///< [batch, num_heads, len, d_k]
  at::Tensor value;  ///< [batch, num_heads, len, d_v]
};

}  // namespace dragoman
