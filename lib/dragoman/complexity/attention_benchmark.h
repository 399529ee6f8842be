#pragma once

#include "dragoman/attention/attention.h"
#include "dragoman/config/attention_options.h"
#include "dragoman/report/svg_plot.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// Options of `benchmark_attention`.
struct AttentionBenchmarkOptions {
  std::vector<HeadAttention> kinds;
  std::vector<std::int64_t> lengths;  ///< tokens of the sequence
  std::int64_t num_heads = 4;
  std::int64_t d_k = 32;  ///< features of a head's query, key and value
  bool causal = false;
  bool backward = true;  ///< measure the backward pass too
  double seconds = 0.5;  ///< measuring time per kind and length, at least one run
};

/// Cost of one float32 self-attention in CPU time of this thread, without projections.
struct AttentionCost {
  std::string kind;
  std::int64_t length = 0;
  double forward_seconds = 0.0;   ///< of the fastest run
  double backward_seconds = 0.0;  ///< 0 if not measured
  double peak_mb = 0.0;           ///< peak MiB allocated in addition to queries, keys and values
  /// Largest absolute difference of a context from that of `full`, for the kinds that compute the
  /// same function; undefined if `full` was not measured.
  std::optional<double> difference = std::nullopt;
  bool refused = false;  ///< above the memory limit of `full`: nothing was computed

  double seconds() const { return forward_seconds + backward_seconds; }
};

/// Costs and how they grow.
struct AttentionBenchmark {
  AttentionBenchmarkOptions options;
  std::vector<AttentionCost> costs;  ///< kind by kind, lengths ascending

  /// The exponent p of seconds (or peak memory) ~ length^p by least squares over the lengths of at
  /// least `shortest_fitted_length`; undefined with fewer than two of them.
  std::optional<double> time_exponent(const std::string& kind) const;
  std::optional<double> memory_exponent(const std::string& kind) const;

  /// Seconds of the longest measured length over those of half that length: 2 for linear, 4 for
  /// quadratic cost; undefined unless both were measured.
  std::optional<double> doubling_ratio(const std::string& kind) const;

  /// The smallest length from which `kind` is faster than `full` at every measured length.
  std::optional<std::int64_t> crossover(const std::string& kind) const;

  std::string text() const;
  nlohmann::json json() const;
  Plot plot() const;  ///< milliseconds of both passes by length
};

/// Measures each kind at each length; `full` is the reference for `difference`.
AttentionBenchmark benchmark_attention(const AttentionBenchmarkOptions& options);

}  // namespace dragoman
