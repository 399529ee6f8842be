#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Which of two values of a measure is better. A training that diverged counts as worse than those
/// that did not where one is; for costs and descriptions neither is.
enum class Better { higher, lower, neither };

/// Sources of random error in a measure, besides the seed.
enum class ErrorSource {
  nothing,    ///< not the seed either: a count
  seed,       ///< the seed alone; of held-out text the measure holds for that text only
  test_text,  ///< the choice of the test text's lines, by the jackknife
  share,      ///< the same for a share of the lines, at least the binomial distribution's
  timing,     ///< the seed; times of several machines are not compared
};

/// A number that is measured on a trained model.
struct Measure {
  std::string_view name;   ///< in definitions and results: "valid_nll"
  std::string_view label;  ///< human-readable, with its unit
  int digits;              ///< decimals
  std::string_view part;   ///< of the measurements it belongs to; empty = always measured
  Better better;
  ErrorSource error;  ///< besides the seed
};

/// \throws OptionsError if there is no measure of this name
const Measure& measure_named(std::string_view name);

/// The part that a measure belongs to; empty if it is always measured, or no measure.
std::string_view part_of_measure(std::string_view name);

/// With so many decimals. With three or more, a number that they would show as 0 has its power of
/// ten.
std::string measured_number(double value, int digits);

/// The parts that a definition may request in addition to what is always measured.
std::vector<std::string_view> extra_measurements();

}  // namespace dragoman
