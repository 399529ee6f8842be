#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/text/preflight.h"

#include <nlohmann/json.hpp>

#include <string>

namespace dragoman {

/// What a training will ask for, guessed from the text and the configuration before it starts.
struct TrainingEstimate {
  std::int64_t parameters = 0;
  double pieces_per_epoch = 0.0;  ///< target side, EOS included; 1.3 pieces a word
  double updates_per_epoch = 0.0;
  double flops_per_epoch = 0.0;   ///< forward and backward
  double memory_mb = 0.0;         ///< weights, gradients, moments and the activations of a batch
  double matmul_gflops = 0.0;     ///< measured now on this machine, all workers together
  double seconds_per_epoch = 0.0; ///< at 40 % of that

  std::string text() const;
  nlohmann::json json() const;
};

/// Measures the matrix product for a moment (0.2 s).
TrainingEstimate estimate_training(const RunOptions& options, const Preflight& texts);

/// The best GFLOP/s that matrix products of a few sizes reach here, `threads` threads side by side,
/// each with products of its own. Takes about `seconds`.
double measure_matmul_gflops(std::int64_t threads, double seconds,
                             Precision precision = Precision::float32);

/// `train --check`: the texts, then the estimate.
struct TrainingCheck {
  std::string text;
  nlohmann::json json;
  bool usable = true;  ///< false if a training would be refused
};
TrainingCheck check_training(const RunOptions& options);

}  // namespace dragoman
