#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

namespace dragoman {

/// The prior of Dyer, Chahuneau and Smith (2013): of `produced` pieces the i-th is aligned to the
/// j-th of `given` ones with a probability proportional to exp(-tension |i / produced - j /
/// given|), or, with `null_probability`, to none. Tension 0 is IBM model 1.
class DiagonalPrior {
 public:
  static constexpr double null_probability = 0.08;

  double tension = 0.0;

  /// The probabilities of the produced piece i, from 0, for all j.
  /// \param row [given], written
  void fill(std::size_t i, std::size_t produced, std::span<double> row) const;

  /// The mean of |i / produced - j / given| over the prior of piece i.
  double expected_distance(std::size_t i, std::size_t produced, std::size_t given) const;
};

/// |i / produced - j / given|, of pieces counted from 1.
double distance_from_diagonal(std::size_t i, std::size_t produced, std::size_t j,
                              std::size_t given);

/// How many sentence pairs have the same lengths: (produced, given) -> pairs.
using LengthCounts = std::map<std::pair<std::size_t, std::size_t>, std::uint64_t>;

/// Moves the tension towards the value by which the prior's mean distance is the one that was
/// observed, by the method of fast_align: eight steps up the gradient of the likelihood, within
/// 0.1 .. 14.
/// \param observed mean distance of the produced pieces
double fitted_tension(double tension, double observed, const LengthCounts& lengths);

}  // namespace dragoman
