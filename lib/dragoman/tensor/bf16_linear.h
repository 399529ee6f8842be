#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

/// x W^T + b in bf16 for training on a CPU: what autocast computes, with less overhead. The weights
/// are read from a bf16 copy that all workers share instead of being cast by each; in the backward
/// pass their gradient is added to `weight.grad()` while it is widened, and that of the bias is
/// summed in float32. Autograd receives no gradient for them; post-accumulate-gradient hooks are
/// called as usual.
/// \param x [..., inputs] bf16, \param weight [outputs, inputs] float32, whose gradient is defined
/// \param bias [outputs] float32, likewise with a gradient, or undefined
/// \param bf16_weight [outputs, inputs] bf16: `weight` rounded; must not change before backward
/// \return [..., outputs] bf16
at::Tensor bf16_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                       const at::Tensor& bf16_weight);

}  // namespace dragoman
