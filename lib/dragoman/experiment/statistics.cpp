#include "dragoman/experiment/statistics.h"

#include "dragoman/core/error.h"

#include <array>
#include <cmath>

namespace dragoman {

Sample sample_of(std::span<const double> values) {
  Sample sample{.count = std::ssize(values)};
  if (values.empty()) return sample;
  for (const double value : values) sample.mean += value;
  sample.mean /= static_cast<double>(sample.count);
  double squares = 0.0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  if (sample.count > 1) sample.spread = std::sqrt(squares / static_cast<double>(sample.count - 1));
  return sample;
}

PooledSpread pooled_spread(std::span<const Sample> samples) {
  PooledSpread pooled;
  double squares = 0.0;
  for (const auto& sample : samples) {
    if (sample.count < 2) continue;
    pooled.freedom += sample.count - 1;
    squares += sample.spread * sample.spread * static_cast<double>(sample.count - 1);
  }
  if (pooled.freedom > 0) pooled.spread = std::sqrt(squares / static_cast<double>(pooled.freedom));
  return pooled;
}

double student_t(std::int64_t freedom) {
  if (freedom < 1) throw ContractError("Student's t: needs at least one degree of freedom");
  constexpr std::array<double, 10> few = {12.706, 4.303, 3.182, 2.776, 2.571,
                                          2.447,  2.365, 2.306, 2.262, 2.228};
  if (freedom <= std::ssize(few)) return few[static_cast<std::size_t>(freedom - 1)];
  // The expansion around the normal quantile (Abramowitz and Stegun, 26.7.5).
  const double z = 1.959964, n = static_cast<double>(freedom);
  const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4.0 * n) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n) +
         (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n * n * n);
}

}  // namespace dragoman
