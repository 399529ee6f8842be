#pragma once

#include "dragoman/loss/loss.h"

#include <cstdint>
#include <functional>

namespace dragoman {

/// `generator_loss` for float32 weights on a CPU. Logits are computed for a few hundred rows at a
/// time and turned into their gradients in place, so that float32 logits of all tokens are never
/// held at once. The gradient, if required, is computed in the forward pass.
Loss cpu_loss(const OutputLayer& layer, const at::Tensor& targets, const SmoothedTarget& target);

/// What some rows of logits contribute: adds to `sums`, `Loss::numbers` of them, and with
/// `with_gradient` replaces the logits by their gradient.
/// \param logits [rows, vocab_size] float32, contiguous
/// \param first which row of the output layer the first of them is
using AddChunkLoss =
    std::function<void(at::Tensor& logits, std::int64_t first, bool with_gradient, double* sums)>;

/// The same for any loss. \param chunk_loss is given an even number of rows at a time, except for
/// the last
Loss cpu_loss(const OutputLayer& layer, std::int64_t tokens, const AddChunkLoss& chunk_loss);

/// For each row, in one read and one write: the cross-entropy against the softened target; with
/// `with_gradient`, the logits are replaced by its gradient, softmax(logits) - q.
/// \param logits [rows, vocab_size] float32, contiguous
/// \param targets [rows] int64
/// \param sums those of `Loss::Index`; `consistency` is left as it is
void smoothed_loss_rows(at::Tensor& logits, const at::Tensor& targets, const SmoothedTarget& target,
                        bool with_gradient, double* sums);

}  // namespace dragoman
