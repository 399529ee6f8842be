#pragma once

#include "dragoman/train/label_smoothing.h"

namespace dragoman {

/// A loss of which the host knows nothing until it asks the device.
struct DeviceLoss {
  at::Tensor sum;   ///< scalar: smoothed cross-entropy in nats; carries the gradient
  at::Tensor sums;  ///< [3] float64: smoothed and unsmoothed loss, tokens whose likeliest class is right
  std::int64_t tokens = 0;
};

/// What `generator_loss` computes, as a GPU wants it: the host waits for nothing, and the logits of a
/// chunk of rows at a time give loss and gradient. The gradient is computed in forward where one is
/// wanted at all. Under autocast the products run in the short type.
/// \param hidden [tokens, d_model], rows of real tokens only
/// \param weight [vocab_size, d_model]
/// \param bias [vocab_size] or undefined
/// \param targets [tokens] int64
/// \param largest_chunk numbers of logits that stand in memory at a time; a row at least
DeviceLoss device_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                       const at::Tensor& targets, const LabelSmoothing& smoothing,
                       std::int64_t largest_chunk = std::int64_t{1} << 27);

}  // namespace dragoman
