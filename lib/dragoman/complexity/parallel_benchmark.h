#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/report/svg_plot.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace dragoman {

/// Options of `benchmark_parallel`.
struct ParallelOptions {
  ModelOptions model;
  std::int64_t vocab_size = 8000;
  std::int64_t sentences = 8;                          ///< per batch
  std::vector<std::int64_t> lengths = {32, 128, 512};  ///< of source and target, tokens
  double seconds = 1.0;                                ///< measuring time per variant and length
};

/// The decoder over one batch of known targets: logits of all positions, one thread, float32.
struct ParallelCost {
  std::int64_t length = 0;
  double whole_seconds = 0.0;          ///< all positions in one pass under the causal mask
  double steps_seconds = 0.0;          ///< one position at a time, with cached keys and values
  double uncached_step_seconds = 0.0;  ///< the last position without a cache: all are decoded anew
  double difference = 0.0;             ///< largest difference of a logit

  double speed_up() const { return steps_seconds / whole_seconds; }
  double seconds_per_step() const { return steps_seconds / static_cast<double>(length); }
};

struct ParallelBenchmark {
  ParallelOptions options;
  std::vector<ParallelCost> costs;

  std::string text() const;
  nlohmann::json json() const;
  Plot plot() const;  ///< milliseconds by length
};

ParallelBenchmark benchmark_parallel(const ParallelOptions& options);

}  // namespace dragoman
