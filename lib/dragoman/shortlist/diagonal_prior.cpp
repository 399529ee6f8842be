#include "dragoman/shortlist/diagonal_prior.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

double distance_from_diagonal(std::size_t i, std::size_t produced, std::size_t j,
                              std::size_t given) {
  return std::abs(static_cast<double>(i + 1) / static_cast<double>(produced) -
                  static_cast<double>(j + 1) / static_cast<double>(given));
}

void DiagonalPrior::fill(std::size_t i, std::size_t produced, std::span<double> row) const {
  // Neighbours on one side of the diagonal differ by a constant factor.
  const auto given = static_cast<double>(row.size());
  const double diagonal = static_cast<double>(i + 1) / static_cast<double>(produced) * given;
  const auto before = std::min(static_cast<std::size_t>(diagonal), row.size());
  const double factor = std::exp(-tension / given);
  double value = std::exp(-tension * (diagonal - static_cast<double>(before)) / given);
  double sum = 0.0;
  for (auto j = before; j-- > 0; value *= factor) sum += row[j] = value;
  value = std::exp(-tension * (static_cast<double>(before + 1) - diagonal) / given);
  for (auto j = before; j < row.size(); ++j, value *= factor) sum += row[j] = value;
  for (auto& share : row) share *= (1.0 - null_probability) / sum;
}

double DiagonalPrior::expected_distance(std::size_t i, std::size_t produced,
                                        std::size_t given) const {
  std::vector<double> row(given);
  fill(i, produced, row);
  double weighted = 0.0;
  for (std::size_t j = 0; j < given; ++j)
    weighted += row[j] * distance_from_diagonal(i, produced, j, given);
  return weighted / (1.0 - null_probability);
}

double fitted_tension(double tension, double observed, const LengthCounts& lengths) {
  constexpr int steps = 8;
  constexpr double rate = 20.0, least = 0.1, most = 14.0;
  DiagonalPrior prior{tension};
  for (int step = 0; step < steps; ++step) {
    double expected = 0.0, pieces = 0.0;
    for (const auto& [length, pairs] : lengths) {
      const auto [produced, given] = length;
      double of_pair = 0.0;
      for (std::size_t i = 0; i < produced; ++i)
        of_pair += prior.expected_distance(i, produced, given);
      expected += of_pair * static_cast<double>(pairs);
      pieces += static_cast<double>(produced * pairs);
    }
    prior.tension = std::clamp(prior.tension + rate * (expected / pieces - observed), least, most);
  }
  return prior.tension;
}

}  // namespace dragoman
