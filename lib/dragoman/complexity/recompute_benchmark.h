#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/config/train_options.h"
#include "dragoman/report/svg_plot.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace dragoman {

/// Options of `benchmark_recompute`.
struct RecomputeOptions {
  ModelOptions model;                              ///< `encoder_layers`, `decoder_layers` are
                                                   ///< ignored
  std::vector<std::int64_t> layers = {4, 12, 24};  ///< of encoder and decoder each
  std::vector<Recompute> kinds = {Recompute::none, Recompute::all, Recompute::sqrt};
  std::int64_t recompute_every = 2;  ///< layers per segment of Recompute::every
  std::int64_t sentences = 16;       ///< per batch
  std::int64_t length = 32;          ///< of source and target, tokens
  double seconds = 2.0;              ///< measuring time per row
};

/// Cost of a forward and backward pass of the stacks of layers, with dropout, one thread, float32.
struct RecomputeCost {
  std::int64_t layers = 0;
  Recompute kind = Recompute::none;
  std::int64_t segment = 0;   ///< layers that are recomputed together; 0 = none are
  double seconds = 0.0;       ///< of the fastest run
  double peak_mb = 0.0;       ///< peak MiB allocated in addition to weights and gradients
  bool same_gradient = true;  ///< bit-identical to keeping everything
};

struct RecomputeBenchmark {
  RecomputeOptions options;
  std::vector<RecomputeCost> costs;  ///< by layers, then as in `kinds`

  std::string text() const;
  nlohmann::json json() const;
  Plot plot() const;  ///< peak memory by layers
};

RecomputeBenchmark benchmark_recompute(const RecomputeOptions& options);

}  // namespace dragoman
