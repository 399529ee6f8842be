#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dragoman {

/// Costs of a sequence of n positions are fitted from this n on: below, fixed costs and what still
/// fits into the caches dominate.
inline constexpr std::int64_t shortest_fitted_length = 1024;

/// (x, y) of measured points, both above 0, x ascending.
using MeasuredPoints = std::vector<std::pair<double, double>>;

/// The exponent p of y ~ x^p: slope of the line through (log x, log y) by least squares. Undefined
/// with fewer than two points.
inline std::optional<double> fitted_exponent(const MeasuredPoints& points) {
  if (points.size() < 2) return std::nullopt;
  double x_mean = 0.0, y_mean = 0.0, covariance = 0.0, variance = 0.0;
  const auto count = static_cast<double>(points.size());
  for (const auto& [x, y] : points) x_mean += std::log(x) / count, y_mean += std::log(y) / count;
  for (const auto& [x, y] : points) {
    covariance += (std::log(x) - x_mean) * (std::log(y) - y_mean);
    variance += (std::log(x) - x_mean) * (std::log(x) - x_mean);
  }
  return covariance / variance;
}

/// The first x at which y rises through 1, on straight lines between (log x, log y). Undefined
/// where it does not.
inline std::optional<double> rises_through_one(const MeasuredPoints& ratios) {
  for (std::size_t i = 1; i < ratios.size(); ++i) {
    const double before = std::log(ratios[i - 1].second), after = std::log(ratios[i].second);
    if (before >= 0.0 || after < 0.0) continue;
    const double start = std::log(ratios[i - 1].first), end = std::log(ratios[i].first);
    return std::exp(start + (end - start) * -before / (after - before));
  }
  return std::nullopt;
}

}  // namespace dragoman
