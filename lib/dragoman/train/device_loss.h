#pragma once

#include "dragoman/train/loss.h"

#include <cstdint>

namespace dragoman {

/// `generator_loss` in a form suited to GPUs: without synchronisation with the host, loss and
/// gradient are computed from the logits of one chunk of rows at a time. The gradient, if required,
/// is computed in the forward pass.
/// \param largest_chunk maximum number of logits in memory at a time; at least one row
Loss device_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                 const at::Tensor& targets, const SmoothedTarget& target,
                 std::int64_t largest_chunk = std::int64_t{1} << 27);

}  // namespace dragoman
