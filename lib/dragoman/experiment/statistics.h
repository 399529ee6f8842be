#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Values of one measure over the seeds of a variant.
struct Sample {
  std::int64_t count = 0;
  double mean = 0.0;
  double spread = 0.0;  ///< standard deviation (n - 1); 0 for a single value
};

Sample sample_of(std::span<const double> values);

/// The standard deviation within all samples, each about its own mean.
struct PooledSpread {
  double spread = 0.0;
  std::int64_t freedom = 0;  ///< degrees of freedom: values less samples
};

PooledSpread pooled_spread(std::span<const Sample> samples);

/// The value that Student's t stays below with a probability of 0.975, to three digits.
/// \throws ContractError if `freedom` is below 1
double student_t(std::int64_t freedom);

}  // namespace dragoman
