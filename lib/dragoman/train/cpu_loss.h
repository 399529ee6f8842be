#pragma once

#include "dragoman/train/loss.h"

namespace dragoman {

/// `generator_loss` for float32 weights on a CPU. Logits are computed for a few hundred rows at a
/// time and turned into their gradients in place, so that float32 logits of all tokens are never
/// held at once. The gradient, if required, is computed in the forward pass.
Loss cpu_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
              const at::Tensor& targets, const SmoothedTarget& target);

/// For each row, in one read and one write: the cross-entropy against the softened target; with
/// `with_gradient`, the logits are replaced by its gradient, softmax(logits) - q.
/// \param logits [rows, vocab_size] float32, contiguous
/// \param targets [rows] int64
/// \param sums three accumulators: smoothed loss, unsmoothed loss (nats), rows whose largest logit
///     is the target's
void smoothed_loss_rows(at::Tensor& logits, const at::Tensor& targets, const SmoothedTarget& target,
                        bool with_gradient, double* sums);

}  // namespace dragoman
