#pragma once

#include "dragoman/complexity/layer_probe.h"

namespace dragoman {

/// CPU time and memory of a float32 forward and backward pass on one thread.
struct PassCost {
  double forward_seconds = 0.0;   ///< of the fastest run
  double backward_seconds = 0.0;  ///< of the fastest run
  double peak_mb = 0.0;           ///< peak MiB allocated in addition to input and weights

  double seconds() const { return forward_seconds + backward_seconds; }
};

/// Runs `probe` for about `seconds`, at least six times.
/// \param batch sequences at once
PassCost measure_passes(const LayerProbe& probe, const LayerSizes& sizes, std::int64_t batch,
                        double seconds);

/// CPU time in seconds of the fastest of the runs that fit in `seconds`, at least one. `run` must
/// use only this thread.
double fastest_run(const std::function<void()>& run, double seconds);

}  // namespace dragoman
