#pragma once

#include "dragoman/cost/pass_cost.h"
#include "dragoman/report/svg_plot.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// What `benchmark_complexity` measures.
struct ComplexityOptions {
  std::vector<LayerPart> parts = layer_parts();
  std::vector<std::int64_t> lengths = {128, 256, 512, 1024, 2048};  ///< ascending
  LayerSizes sizes;       ///< `length` is the one that the table of formulas is for
  double seconds = 0.3;   ///< measuring time of one part at one length
};

/// One part at one length, one sequence.
struct PartCost {
  LayerPart part = LayerPart::attention;
  std::int64_t length = 0;
  PassCost cost;
};

/// Formulas of the parts of layers, what was measured, and how both grow with the length.
struct ComplexityBenchmark {
  ComplexityOptions options;
  std::vector<PartCost> costs;  ///< part by part, lengths ascending

  /// The exponent p of multiply-adds, seconds or memory ~ length^p over the lengths from 512 on;
  /// undefined with fewer than two of them.
  std::optional<double> counted_exponent(LayerPart part) const;
  std::optional<double> time_exponent(LayerPart part) const;
  std::optional<double> memory_exponent(LayerPart part) const;

  /// The length from which attention takes longer than its projections; undefined if they do not
  /// cross between the measured lengths.
  std::optional<double> measured_crossover() const;

  std::string text() const;
  nlohmann::json json() const;
  Plot plot() const;  ///< seconds by length
};

ComplexityBenchmark benchmark_complexity(const ComplexityOptions& options);

}  // namespace dragoman
