#pragma once

#include "dragoman/attention/attention.h"
#include "dragoman/config/attention_options.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// What `benchmark_attention` measures.
struct AttentionBenchmarkOptions {
  std::vector<HeadAttention> kinds;
  std::vector<std::int64_t> lengths;  ///< tokens of the sequence
  std::int64_t num_heads = 4;
  std::int64_t d_k = 32;         ///< features of a head's query, key and value
  Sight sight = Sight::whole;
  bool backward = true;          ///< measure the backward pass too
  double seconds = 0.5;          ///< measuring time of one kind at one length, at least one run
};

/// Cost of one self-attention of float32 on this thread's CPU, without projections.
struct AttentionCost {
  std::string kind;
  std::int64_t length = 0;
  double forward_seconds = 0.0;   ///< of the fastest run
  double backward_seconds = 0.0;  ///< 0 if not measured
  double peak_mb = 0.0;           ///< MiB allocated beside queries, keys and values, at most
  /// Largest distance of a context from that of `full`, for the kinds that compute the same;
  /// undefined where `full` was not measured.
  std::optional<double> difference = std::nullopt;
  bool refused = false;  ///< beyond the limit of `full`: nothing was computed

  double seconds() const { return forward_seconds + backward_seconds; }
};

/// Costs and how they grow.
struct AttentionBenchmark {
  std::vector<AttentionCost> costs;  ///< kind by kind, lengths ascending

  /// The exponent p of seconds (or peak memory) ~ length^p by least squares over the lengths from
  /// 1,024 on; undefined with fewer than two of them.
  std::optional<double> time_exponent(const std::string& kind) const;
  std::optional<double> memory_exponent(const std::string& kind) const;

  /// The first length from which `kind` is faster than `full` at every measured one.
  std::optional<std::int64_t> crossover(const std::string& kind) const;

  std::string text() const;
  nlohmann::json json() const;
};

AttentionBenchmark benchmark_attention(const AttentionBenchmarkOptions& options);

}  // namespace dragoman
