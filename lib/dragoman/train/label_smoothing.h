#pragma once

#include "dragoman/config/train_options.h"
#include "dragoman/train/fused_loss.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// How the one-hot target is softened (section 5.4).
struct LabelSmoothing {
  double eps = 0.1;  ///< eps_ls, in [0, 1)
  SmoothingKind kind = SmoothingKind::uniform;
  std::int64_t pad = 0;  ///< class without mass; kind `exclude` only
};

/// The softened target for a vocabulary, for the losses that compute their own gradient.
SmoothedTarget smoothed_target(const LabelSmoothing& smoothing, std::int64_t vocab_size);

/// Sums over target tokens, so that shards and ranks can add them.
struct Loss {
  at::Tensor sum;            ///< scalar: smoothed cross-entropy in nats; carries the gradient
  double nll = 0.0;          ///< unsmoothed negative log-likelihood in nats
  std::int64_t correct = 0;  ///< tokens whose most probable class is the target
  std::int64_t tokens = 0;
};

/// The output layer and label-smoothed cross-entropy together, in chunks of rows, so that the
/// logits of all tokens are never in memory at once.
///
/// In float32 on a CPU one pass over each chunk gives loss and gradient; elsewhere the reference
/// form is used (`label_smoothed_cross_entropy`). Under autocast the products run in half
/// precision.
/// \param hidden [tokens, d_model], rows of real tokens only
/// \param weight [vocab_size, d_model]
/// \param bias [vocab_size] or undefined
/// \param targets [tokens] int64
Loss generator_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                    const at::Tensor& targets, const LabelSmoothing& smoothing);

/// The reference form, using LibTorch's own operations.
/// \param logits [tokens, vocab_size]
/// \param targets [tokens] int64
Loss label_smoothed_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                                  const LabelSmoothing& smoothing);

/// Entropy in nats of the smoothed target distribution: the minimum possible loss per token.
double smoothed_entropy(const LabelSmoothing& smoothing, std::int64_t vocab_size);

}  // namespace dragoman
