#pragma once

#include "dragoman/tensor/bf16_linear.h"

namespace dragoman {

/// Layer normalisation of bf16 features for training on a GPU, in one pass that computes in float32
/// and rounds its results. As for `bf16_linear`, the gradients of gamma and beta are added to those
/// of `parameters`, and autograd receives none; those of a batch are rounded to bf16 first.
/// \param x [..., features] bf16
/// \param parameters gamma (`weight`) and beta (`bias`), [features] float32, with gradients
/// \param rounded bf16: `parameters` rounded; must not change before backward
/// \param eps added to the variance
/// \return the shape of `x`, bf16
at::Tensor bf16_layer_norm(const at::Tensor& x, const LinearMap& parameters,
                           const LinearMap& rounded, double eps);

}  // namespace dragoman
