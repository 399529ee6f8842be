#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

/// The first idea of attention, without weights of any kind: what came before, added up.
/// \param x [.., len, d_model]
/// \return [.., len, d_model]; row i is the sum of the rows before i, zeros for the first
at::Tensor sum_of_past(const at::Tensor& x);

/// The second: the mean of what came before, weighted by softmax of the plain products of rows;
/// no projections, no scale.
/// \param x [.., len, d_model]
/// \return [.., len, d_model]; zeros for the first row, which has nothing before it
at::Tensor dot_of_past(const at::Tensor& x);

}  // namespace dragoman
