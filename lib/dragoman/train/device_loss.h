#pragma once

#include "dragoman/train/label_smoothing.h"

namespace dragoman {

/// A loss that stays on the device until the host reads it.
struct DeviceLoss {
  at::Tensor sum;   ///< scalar: smoothed cross-entropy in nats; carries the gradient
  at::Tensor sums;  ///< [3] float64: smoothed and unsmoothed loss, tokens whose most probable class
                    ///< is correct
  std::int64_t tokens = 0;
};

/// The computation of `generator_loss` in a form suited to GPUs: without synchronisation with the
/// host, loss and gradient are computed from the logits of one chunk of rows at a time. The
/// gradient, if required, is computed in the forward pass. Under autocast the products run in half
/// precision.
/// \param hidden [tokens, d_model], rows of real tokens only
/// \param weight [vocab_size, d_model]
/// \param bias [vocab_size] or undefined
/// \param targets [tokens] int64
/// \param largest_chunk maximum number of logits in memory at a time; at least one row
DeviceLoss device_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                       const at::Tensor& targets, const LabelSmoothing& smoothing,
                       std::int64_t largest_chunk = std::int64_t{1} << 27);

}  // namespace dragoman
