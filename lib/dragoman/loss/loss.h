#pragma once

#include "dragoman/config/train_options.h"
#include "dragoman/loss/pass_sums.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// How the one-hot target is softened (section 5.4).
struct LabelSmoothing {
  double eps = 0.1;  ///< eps_ls, in [0, 1)
  SmoothingKind kind = SmoothingKind::uniform;
  std::int64_t pad = 0;  ///< class without mass; kind `exclude` only
};

/// What logits are computed from: hidden * weight^T + bias.
struct OutputLayer {
  at::Tensor hidden;     ///< [rows, d_model]
  at::Tensor weight;     ///< [vocab_size, d_model]
  at::Tensor bias = {};  ///< [vocab_size] or undefined

  std::int64_t vocab_size() const { return weight.size(0); }
};

/// The label smoothing of a training configuration. \param pad of the target side
LabelSmoothing smoothing_of(const TrainOptions& options, std::int64_t pad);

/// A loss, summed over target tokens so that batches, workers and ranks can add theirs. Nothing of
/// it is read by the host: on a GPU it is computed while the host goes on.
struct Loss {
  at::Tensor sum;           ///< scalar: what is minimised, in nats; carries the gradient
  at::Tensor sums;          ///< [numbers] float64, without gradient: those of `Index`, in its order
  std::int64_t tokens = 0;  ///< targets

  /// Of `sums`.
  enum Index : std::int64_t {
    minimised,    ///< the same as `sum`
    nll,          ///< unsmoothed cross-entropy in nats
    correct,      ///< tokens whose most probable class, the first of equals, is the target
    consistency,  ///< the part of `minimised` that is a divergence of two passes (`paired_loss`)
    numbers       ///< how many there are
  };
};

/// What `Loss::sums` means. \param numbers its values, on the host
PassSums pass_sums(const double* numbers, std::int64_t tokens);

/// The output layer and label-smoothed cross-entropy together, in chunks of rows, so that the
/// logits of all tokens are never in memory at once. Under autocast the products run in bf16.
///
/// `label_smoothed_cross_entropy` is the definition; float32 weights on a CPU (`cpu_loss`) and any
/// weights on a GPU (`device_loss`) have implementations that compute loss and gradient together.
/// \param hidden [tokens, d_model], rows of real tokens only
/// \param weight [vocab_size, d_model]
/// \param bias [vocab_size] or undefined
/// \param targets [tokens] int64
Loss generator_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                    const at::Tensor& targets, const LabelSmoothing& smoothing);

/// The definition, using LibTorch's own operations.
/// \param logits [tokens, vocab_size]
/// \param targets [tokens] int64
Loss label_smoothed_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                                  const LabelSmoothing& smoothing);

/// The softened target q as the implementations read it: `spread` everywhere (except on
/// `excluded`), plus `extra` on the target. It sums to 1.
struct SmoothedTarget {
  double spread = 0.0;
  double extra = 1.0;
  std::int64_t excluded = -1;  ///< class without mass; -1 = none
};

SmoothedTarget smoothed_target(const LabelSmoothing& smoothing, std::int64_t vocab_size);

/// Adds losses where they are: the host waits for a GPU once, in `sums`, not for each batch.
class LossTally {
 public:
  void add(const Loss& loss);

  PassSums sums() const;

  /// The same where they are: as `Loss::sums`, and the tokens that they are of. After a loss has
  /// been added.
  const at::Tensor& device_sums() const { return sums_; }
  std::int64_t tokens() const { return tokens_; }

 private:
  at::Tensor sums_;  ///< as `Loss::sums`; undefined = 0
  std::int64_t tokens_ = 0;
};

}  // namespace dragoman
