#pragma once

#include "dragoman/data/batch.h"
#include "dragoman/translate/run.h"

namespace dragoman {

/// What forward and backward pass of one batch take on one thread, the optimizer left out.
struct UpdateCost {
  double cpu_ms = 0.0;     ///< CPU time, which other programs on the machine disturb least
  double memory_mb = 0.0;  ///< largest total of what LibTorch allocated at a time, MiB
};

/// \param repetitions of which the mean is taken, after one to warm up
UpdateCost update_cost(const LoadedRun& run, const Batch& batch, int repetitions = 8);

/// CPU seconds of this process so far.
double process_cpu_seconds();

}  // namespace dragoman
