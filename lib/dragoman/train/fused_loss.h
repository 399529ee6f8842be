#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// q = `spread` everywhere (except on `excluded`), plus `extra` on the target.
struct SmoothedTarget {
  double spread = 0.0;
  double extra = 1.0;
  std::int64_t excluded = -1;  ///< class without mass; -1 = none
};

/// For each row, in one read and one write: the cross-entropy against q; with `with_gradient`, the
/// logits are replaced by its gradient, softmax(logits) - q.
/// \param logits [rows, vocab_size] float32, contiguous
/// \param targets [rows] int64
/// \param sums three accumulators: smoothed loss, unsmoothed loss (nats), rows whose largest logit
///     is the target's
void smoothed_loss_rows(at::Tensor& logits, const at::Tensor& targets, const SmoothedTarget& target,
                        bool with_gradient, double* sums);

}  // namespace dragoman
