#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

/// The numbers of a linear map.
struct LinearMap {
  at::Tensor weight;     ///< [outputs, inputs]
  at::Tensor bias = {};  ///< [outputs], or undefined
};

/// What is applied to the result of a product.
enum class Epilogue { none, relu };

/// x W^T + b in bf16 for training: what autocast computes, with less overhead. The numbers are read
/// from a bf16 copy that all workers share instead of being cast by each; in the backward pass the
/// gradients are added to those of `parameters`, in float32: on a CPU that of the weight is rounded
/// to bf16 first, in the pieces of bf16_products.h. Autograd receives no gradient for them;
/// post-accumulate-gradient hooks are called as usual.
/// \param x [..., inputs] bf16
/// \param parameters float32, their gradients defined
/// \param rounded bf16: `parameters` rounded; must not change before backward
/// \param epilogue on a GPU, relu and the addition of a bias are part of the product
/// \return [..., outputs] bf16
at::Tensor bf16_linear(const at::Tensor& x, const LinearMap& parameters, const LinearMap& rounded,
                       Epilogue epilogue = Epilogue::none);

/// The gradient that `bf16_linear` and `bf16_layer_norm` add to.
/// \throws ContractError unless it is defined, float32 and contiguous
at::Tensor& kept_gradient(const at::Tensor& parameter);

}  // namespace dragoman
