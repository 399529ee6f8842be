#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

/// c_t = factor_t * c_{t-1} + addend_t along the second axis, with c_{-1} = 0, feature by feature.
/// Has a gradient, which is the same recurrence from the end to the start.
/// \param factor [batch, len, features] float32 or float64
/// \param addend the same shape and type
/// \return the same shape and type
at::Tensor linear_recurrence(const at::Tensor& factor, const at::Tensor& addend);

}  // namespace dragoman
