#pragma once

#include "dragoman/tensor/bf16_linear.h"

namespace dragoman {

/// Whether `relu_network` can train these maps: on a CPU, in float32 without autocast, where
/// gradients are recorded, with contiguous parameters, and numbers of inputs and outputs that are
/// multiples of 16.
/// \param x [..., inputs]
bool suits_relu_network(const at::Tensor& x, const LinearMap& inner, const LinearMap& outer);

/// dropout(max(0, x W1^T + b1)) W2^T + b2 (section 3.3) for training. In a model that has been
/// trained for a while, most numbers behind relu are zero. Then only the others are kept for the
/// backward pass, and all products but the first leave the zeros out, which takes a fraction of the
/// time. Whether they do is decided by each input alone.
/// \param x [..., inputs]
/// \param dropout rate, in [0, 1)
/// \return [..., outputs]
at::Tensor relu_network(const at::Tensor& x, const LinearMap& inner, const LinearMap& outer,
                        double dropout);

}  // namespace dragoman
