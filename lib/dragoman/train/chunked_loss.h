#pragma once

#include "dragoman/train/fused_loss.h"

#include <ATen/core/Tensor.h>

namespace dragoman {

struct ChunkedLossResult {
  at::Tensor value;  ///< smoothed cross-entropy, summed, in nats: float32 scalar with gradient
  at::Tensor sums;   ///< [3] float64: the numbers of `smoothed_loss_rows`
};

/// Output layer and smoothed cross-entropy in one, on the CPU. Logits are computed for a few
/// hundred rows at a time and turned into their gradients in place, so that float32 logits of all
/// tokens are never held at once.
/// \param hidden [tokens, d_model]
/// \param weight [vocab_size, d_model] float32
/// \param bias [vocab_size] float32, or undefined
/// \param targets [tokens] int64
/// \param type of the products: float32 or bfloat16
ChunkedLossResult chunked_loss(const at::Tensor& hidden, const at::Tensor& weight,
                               const at::Tensor& bias, const at::Tensor& targets,
                               const SmoothedTarget& target, at::ScalarType type);

}  // namespace dragoman
