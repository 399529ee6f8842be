#include "dragoman/complexity/complexity_benchmark.h"

#include "dragoman/core/power_fit.h"
#include "dragoman/core/progress.h"

#include <ATen/Context.h>

#include <cmath>

namespace dragoman {

namespace {

template <typename Value>
std::optional<double> exponent_of(const ComplexityBenchmark& benchmark, LayerPart part,
                                  const Value& value) {
  MeasuredPoints points;
  for (const auto& cost : benchmark.costs)
    if (cost.part == part && cost.length >= shortest_fitted_length)
      points.emplace_back(static_cast<double>(cost.length), value(cost));
  return fitted_exponent(points);
}

}  // namespace

std::optional<double> ComplexityBenchmark::counted_exponent(LayerPart part) const {
  return exponent_of(*this, part, [this](const PartCost& cost) {
    return static_cast<double>(multiply_adds(cost.part, options.sizes.at_length(cost.length)));
  });
}

std::optional<double> ComplexityBenchmark::time_exponent(LayerPart part) const {
  return exponent_of(*this, part, [](const PartCost& cost) { return cost.cost.seconds(); });
}

std::optional<double> ComplexityBenchmark::memory_exponent(LayerPart part) const {
  return exponent_of(*this, part, [](const PartCost& cost) { return cost.cost.peak_mb; });
}

std::optional<bool> ComplexityBenchmark::grows_as_formula(LayerPart part) const {
  constexpr double tolerance = 0.2;
  const auto time = time_exponent(part);
  if (!time) return std::nullopt;
  return std::abs(*time - static_cast<double>(length_exponent(part))) <= tolerance;
}

std::optional<double> ComplexityBenchmark::measured_crossover() const {
  MeasuredPoints ratios;
  for (const auto& core : costs)
    for (const auto& maps : costs)
      if (core.part == LayerPart::attention && maps.part == LayerPart::projections &&
          core.length == maps.length)
        ratios.emplace_back(static_cast<double>(core.length),
                            core.cost.seconds() / maps.cost.seconds());
  return rises_through_one(ratios);
}

ComplexityBenchmark benchmark_complexity(const ComplexityOptions& options) {
  ComplexityBenchmark benchmark{.options = options, .costs = {}};
  at::manual_seed(1);
  Progress progress("measuring", "costs", std::ssize(options.parts) * std::ssize(options.lengths));
  for (const auto part : options.parts)
    for (const auto length : options.lengths) {
      const auto sizes = options.sizes.at_length(length);
      benchmark.costs.push_back(
          {part, length, measure_passes(make_layer_probe(part, sizes), sizes, 1, options.seconds)});
      progress.show(std::ssize(benchmark.costs));
    }
  return benchmark;
}

}  // namespace dragoman
