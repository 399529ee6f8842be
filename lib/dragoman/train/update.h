#pragma once

#include "dragoman/data/stream.h"
#include "dragoman/optimizer/adam.h"
#include "dragoman/optimizer/weight_average.h"
#include "dragoman/train/data_parallel.h"

#include <cstdint>
#include <limits>

namespace dragoman {

/// What an update did.
struct UpdateResult {
  UpdateSums sums;  ///< over all workers and ranks
  double gradient_norm =
      0.0;               ///< 2-norm of the gradient of the mean loss per token, before clipping
  bool applied = false;  ///< false: the loss or the gradient is not finite, or the gradient too
                         ///< large for Adam's second moment; no weight has changed
};

/// What still fits into Adam's second moment, the square of a gradient's norm after clipping, and
/// into the divisor of the gradient.
inline constexpr double largest_of_adam = std::numeric_limits<float>::max();

/// What an update changes.
struct UpdatedParts {
  DataParallel& workers;
  Adam& adam;
  WeightAverage& average;
};

/// What decides an update besides the weights, the moments and the data.
struct UpdateSettings {
  double learning_rate = 0.0;
  double clip_norm = 0.0;  ///< largest norm of the gradient; 0 = no limit
  std::uint64_t key = 0;   ///< determines the random numbers of dropout, with the worker's index
};

/// Each worker's forward and backward passes over its batches: their summed gradients and losses.
void accumulate_gradients(DataParallel& workers, const UpdateData& data, std::uint64_t key);

/// One update of the weights (section 5.3): each worker's forward and backward passes, the sum of
/// the gradients over workers and ranks, clipping, Adam, and the moving average.
/// \param data of this rank; in a group all ranks call it, each with its own part of the update
UpdateResult update(const UpdatedParts& parts, const UpdateData& data,
                    const UpdateSettings& settings);

}  // namespace dragoman
