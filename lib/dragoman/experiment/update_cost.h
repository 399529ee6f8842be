#pragma once

#include "dragoman/data/batch.h"
#include "dragoman/run/loaded_run.h"

namespace dragoman {

/// The cost of the forward and backward pass of one batch on one thread, without the optimizer.
struct UpdateCost {
  double cpu_ms = 0.0;     ///< CPU time, which is least affected by other programs
  double memory_mb = 0.0;  ///< peak MiB allocated by LibTorch
};

/// The mean of eight passes, after one to warm up.
UpdateCost update_cost(const LoadedRun& run, const Batch& batch);

}  // namespace dragoman
