#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

/// Dropout (section 5.4): each element becomes 0 with probability `p`, the others are divided by
/// (1 - p). The identity if not `training` or if `p` is 0. On a CPU `next_random_stream`
/// determines which elements are dropped, and the backward pass draws them again, so that no mask
/// is kept; elsewhere LibTorch's dropout and the generator of the device do.
/// \param x any shape, floating point
/// \param p in [0, 1)
at::Tensor dropout(const at::Tensor& x, double p, bool training);

/// The factors by which `dropout` would multiply each element, 0 or 1 / (1 - p), drawn from
/// `next_random_stream`: the same on every device.
/// \param like determines shape, type and device
/// \param p in (0, 1)
at::Tensor dropout_factors(const at::Tensor& like, double p);

/// residual + dropout(x), in one pass.
/// \param residual the shape of `x`
at::Tensor add_dropout(const at::Tensor& residual, const at::Tensor& x, double p, bool training);

}  // namespace dragoman
