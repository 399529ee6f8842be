#pragma once

#include "dragoman/loss/loss.h"

#include <cstdint>
#include <functional>

namespace dragoman {

/// `generator_loss` in a form suited to GPUs: without synchronisation with the host, loss and
/// gradient are computed from the logits of one chunk of rows at a time. The gradient, if required,
/// is computed in the forward pass.
/// \param largest_chunk maximum number of logits in memory at a time; at least one row
Loss device_loss(const OutputLayer& layer, const at::Tensor& targets, const SmoothedTarget& target,
                 std::int64_t largest_chunk = std::int64_t{1} << 27);

/// Smoothed and unsmoothed cross-entropy of some rows, summed in float64.
struct CrossEntropies {
  at::Tensor smoothed, nll;
};

/// \param log_probs [rows, vocab_size]
/// \param of_targets [rows, 1]: those of the targets
CrossEntropies cross_entropies(const at::Tensor& log_probs, const at::Tensor& of_targets,
                               const SmoothedTarget& target);

/// Some rows of logits on a device.
struct DeviceChunk {
  at::Tensor logits;       ///< [rows, vocab_size] in the type of the products
  std::int64_t first = 0;  ///< which row of the output layer the first of them is
  at::ScalarType type;     ///< of the weights: probabilities are computed in it
  bool with_gradient = true;
};

/// What they contribute.
struct DeviceChunkLoss {
  at::Tensor sums;           ///< as `Loss::sums`
  at::Tensor gradient = {};  ///< of the logits, [rows, vocab_size]; undefined if not asked for
};

using LossOfDeviceChunk = std::function<DeviceChunkLoss(const DeviceChunk&)>;

/// The same for any loss of rows.
/// \param rows_at_once at least one
Loss device_loss(const OutputLayer& layer, std::int64_t tokens, std::int64_t rows_at_once,
                 const LossOfDeviceChunk& loss_of_chunk);

}  // namespace dragoman
