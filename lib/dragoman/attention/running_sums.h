#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// The decoding state of linear attention: two sums over all tokens seen so far, whose size does
/// not grow with their number (Katharopoulos et al. 2020, section 3.4).
struct RunningSums {
  at::Tensor s;  ///< sum of phi(k) v^T: [rows, num_heads, d_k, d_v]
  at::Tensor z;  ///< sum of phi(k): [rows, num_heads, d_k]

  /// \param features phi of one more token's keys, [rows, num_heads, 1, d_k]
  /// \param value [rows, num_heads, 1, d_v]
  void add(const at::Tensor& features, const at::Tensor& value);

  /// New row i continues old row rows[i]. \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  std::int64_t rows() const { return z.defined() ? z.size(0) : 0; }
};

}  // namespace dragoman
