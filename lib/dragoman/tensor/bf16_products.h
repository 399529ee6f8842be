#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

// Products of bf16 on a CPU. LibTorch computes them with oneDNN, which compiles code for each shape
// and keeps that of 1,024 shapes: if every batch has a different number of rows, this takes up to a
// fifth of the time of training a small model, and more than 1 GB of memory. These functions
// compute products in pieces, whose numbers of rows repeat.

/// result = x m + bias, for each row
/// \param x [rows, inner]
/// \param matrix [inner, columns]
/// \param bias [columns], or undefined = 0
/// \param result [rows, columns], of any type
void multiply_bf16_rows(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& bias,
                        const at::Tensor& result);

/// sums += a^T b, of which each piece's part is rounded to bf16
/// \param a [rows, n]
/// \param b [rows, m]
/// \param sums [n, m] float32, contiguous
void add_bf16_outer_products(const at::Tensor& a, const at::Tensor& b, const at::Tensor& sums);

}  // namespace dragoman
