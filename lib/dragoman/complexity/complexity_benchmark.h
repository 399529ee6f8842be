#pragma once

#include "dragoman/complexity/pass_cost.h"
#include "dragoman/report/svg_plot.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// Options of `benchmark_complexity`.
struct ComplexityOptions {
  std::vector<LayerPart> parts = layer_parts();
  std::vector<std::int64_t> lengths = {128, 256, 512, 1024, 2048, 4096};  ///< ascending
  LayerSizes sizes;      ///< `length` is used in the table of formulas
  double seconds = 0.3;  ///< measuring time per part and length
};

/// One part at one length, one sequence.
struct PartCost {
  LayerPart part = LayerPart::attention;
  std::int64_t length = 0;
  PassCost cost;
};

/// Formulas of the parts of layers, the measurements, and how both grow with the length.
struct ComplexityBenchmark {
  ComplexityOptions options;
  std::vector<PartCost> costs;  ///< by part, lengths ascending

  /// The exponent p of multiply-adds, seconds or memory ~ length^p over the lengths of at least
  /// `shortest_fitted_length`; undefined with fewer than two of them.
  std::optional<double> counted_exponent(LayerPart part) const;
  std::optional<double> time_exponent(LayerPart part) const;
  std::optional<double> memory_exponent(LayerPart part) const;

  /// Whether the exponent of time is the formula's (`length_exponent`) within 0.2; undefined where
  /// that exponent is.
  std::optional<bool> grows_as_formula(LayerPart part) const;

  /// The length from which attention takes longer than its projections; undefined if there is no
  /// crossover between the measured lengths.
  std::optional<double> measured_crossover() const;

  std::string text() const;
  nlohmann::json json() const;
  Plot plot() const;  ///< milliseconds by length
};

ComplexityBenchmark benchmark_complexity(const ComplexityOptions& options);

}  // namespace dragoman
