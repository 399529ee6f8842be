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

/// The pooled standard deviation of all samples, each around its own mean.
struct PooledSpread {
  double spread = 0.0;
  std::int64_t freedom = 0;  ///< degrees of freedom: number of values minus number of samples
};

PooledSpread pooled_spread(std::span<const Sample> samples);

/// The 0.975 quantile of Student's t distribution, to three digits.
/// \throws ContractError if `freedom` is below 1
double student_t(std::int64_t freedom);

}  // namespace dragoman
