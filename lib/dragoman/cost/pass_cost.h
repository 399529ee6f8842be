#pragma once

#include "dragoman/cost/layer_probe.h"

namespace dragoman {

/// Processor time and memory of a forward and a backward pass of float32 on one thread.
struct PassCost {
  double forward_seconds = 0.0;   ///< of the fastest run
  double backward_seconds = 0.0;  ///< of the fastest run
  double peak_mb = 0.0;           ///< MiB allocated beside input and weights, at most

  double seconds() const { return forward_seconds + backward_seconds; }
};

/// Runs `probe` for about `seconds`, six times at least.
/// \param batch sequences at once
PassCost measure_passes(const LayerProbe& probe, const LayerSizes& sizes, std::int64_t batch,
                        double seconds);

/// Processor time in seconds of the fastest of the runs that fit in `seconds`, one at least. `run` works
/// on this thread alone.
double fastest_run(const std::function<void()>& run, double seconds);

}  // namespace dragoman
