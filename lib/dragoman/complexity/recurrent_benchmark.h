#pragma once

#include "dragoman/complexity/pass_cost.h"
#include "dragoman/report/svg_plot.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace dragoman {

/// Options of `benchmark_recurrent`.
struct RecurrentOptions {
  std::vector<std::int64_t> lengths = {32, 64, 128, 256, 512, 1024};
  LayerSizes sizes;
  std::int64_t sentences = 8;  ///< per batch
  double seconds = 0.5;        ///< measuring time per layer and length
};

/// Layers of one width over sequences of one length.
struct RecurrentCost {
  std::int64_t length = 0;
  PassCost attention;  ///< multi-head self-attention with its projections
  PassCost recurrent;  ///< torch::nn::RNN
  PassCost lstm;       ///< torch::nn::LSTM
};

struct RecurrentBenchmark {
  RecurrentOptions options;
  std::vector<RecurrentCost> costs;

  std::string text() const;
  nlohmann::json json() const;
  Plot plot() const;  ///< milliseconds by length
};

RecurrentBenchmark benchmark_recurrent(const RecurrentOptions& options);

}  // namespace dragoman
