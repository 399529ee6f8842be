#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

/// The simplest form of attention, without any weights: the sum of previous positions.
/// \param x [.., len, d_model]
/// \return [.., len, d_model]; row i is the sum of the rows before i, zeros for the first
at::Tensor sum_of_past(const at::Tensor& x);

/// The next step: the mean of previous positions, weighted by a softmax over plain dot products of
/// rows, without projections or scale.
/// \param x [.., len, d_model]
/// \return [.., len, d_model]; zeros for the first row, which has no predecessor
at::Tensor dot_of_past(const at::Tensor& x);

}  // namespace dragoman
