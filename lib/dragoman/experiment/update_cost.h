#pragma once

#include "dragoman/data/batch.h"
#include "dragoman/run/loaded_run.h"

namespace dragoman {

/// The cost of the forward and backward pass of one batch on one thread, without the optimizer.
struct UpdateCost {
  double cpu_ms = 0.0;     ///< CPU time, which is least affected by other programs
  double memory_mb = 0.0;  ///< peak MiB allocated by LibTorch
};

/// \param repetitions number of runs averaged, after one warm-up run
UpdateCost update_cost(const LoadedRun& run, const Batch& batch, int repetitions = 8);

}  // namespace dragoman
