#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/run/run_files.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dragoman {

/// Bytes of each weight, gradient and moment in training.
double bytes_of_number(Precision precision);

/// Numbers that training keeps for each weight, besides gradients: the weight, two moments and, if
/// it is asked for, the moving average.
double numbers_per_weight(const TrainOptions& options);

/// What the memory of a training depends on besides its options.
struct TrainedModel {
  ModelKind kind = ModelKind::translation;  ///< which stacks there are
  std::int64_t parameters = 0;
};

/// MiB that training takes, estimated from the sizes alone: LibTorch itself, weights, gradients,
/// moments, on a CPU the copy that is written as a checkpoint, and the activations of a batch. The
/// process may take more, as where `data.subword_sampling` makes batches longer.
/// \param processes of the training that share the cores and the memory of this host
/// \param longest sentence of the text in tokens; 0 = unknown: short ones are expected, whose
///     attention weights are not kept
double calculated_memory_mb(const RunOptions& options, const TrainedModel& model,
                            std::int64_t processes = 1, std::int64_t longest = 0);

/// A warning if that is more than the bytes of memory that are free; none on other devices than a
/// CPU, or if the free memory is unknown.
/// \param memory_mb of all `processes` together
std::optional<std::string> memory_warning(const RunOptions& options, double memory_mb,
                                          std::optional<std::int64_t> available,
                                          std::int64_t processes = 1);

}  // namespace dragoman
