#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

/// x W^T + b in bf16 for training on a CPU: what autocast computes, with less work on the side. The weights
/// are read from a short copy that all workers share instead of being cast by each; going back, their
/// gradient is added to `weight.grad()` in the pass that widens it, and the bias's is summed in float32.
/// Autograd gets no gradient of them; hooks that wait for one to be added are called as ever.
/// \param x [..., inputs] bf16, \param weight [outputs, inputs] float32, whose gradient is defined
/// \param bias [outputs] float32, the same, or undefined
/// \param short_weight [outputs, inputs] bf16: `weight` rounded; must not change before backward
/// \return [..., outputs] bf16
at::Tensor short_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                        const at::Tensor& short_weight);

}  // namespace dragoman
