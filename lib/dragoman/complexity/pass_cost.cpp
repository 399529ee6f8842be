#include "dragoman/complexity/pass_cost.h"

#include "dragoman/core/process_usage.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/tensor/memory_watch.h"
#include "dragoman/tensor/thread_count.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace dragoman {

namespace {

/// The first runs touch memory that is new to the process, which takes longer than the passes.
constexpr int least_runs = 6;

/// Runs both passes once; updates the minimum times of `cost`.
void run_passes(const LayerProbe& probe, const at::Tensor& x, PassCost& cost) {
  auto inputs = probe.weights;
  inputs.push_back(x);
  auto start = thread_cpu_seconds();
  const auto y = probe.run(x);
  cost.forward_seconds = std::min(cost.forward_seconds, thread_cpu_seconds() - start);
  const auto outer = at::ones_like(y);
  start = thread_cpu_seconds();
  torch::autograd::grad({y}, inputs, {outer});
  cost.backward_seconds = std::min(cost.backward_seconds, thread_cpu_seconds() - start);
}

}  // namespace

PassCost measure_passes(const LayerProbe& probe, const LayerSizes& sizes, std::int64_t batch,
                        double seconds) {
  const ThreadCount one_thread(1);
  const at::AutoGradMode with_graph(true);
  constexpr double never = std::numeric_limits<double>::max();
  PassCost cost{.forward_seconds = never, .backward_seconds = never, .peak_mb = 0.0};
  const auto x = at::randn({batch, sizes.length, sizes.d_model}).set_requires_grad(true);
  const auto start = std::chrono::steady_clock::now();
  {
    const MemoryWatch watch;
    run_passes(probe, x, cost);
    cost.peak_mb = watch.peak_mb();
  }
  for (int run = 1; run < least_runs || seconds_since(start) < seconds; ++run)
    run_passes(probe, x, cost);
  return cost;
}

double fastest_run(const std::function<void()>& run, double seconds) {
  double fastest = std::numeric_limits<double>::max();
  const auto first = std::chrono::steady_clock::now();
  do {
    const double start = thread_cpu_seconds();
    run();
    fastest = std::min(fastest, thread_cpu_seconds() - start);
  } while (seconds_since(first) < seconds);
  return fastest;
}

}  // namespace dragoman
