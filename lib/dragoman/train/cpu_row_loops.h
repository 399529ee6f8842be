#pragma once

#include "dragoman/kernels/fast_exp.h"

#include <cmath>
#include <cstdint>

/// Loops over a row of float32 logits, for `run_on_this_cpu`.
namespace dragoman::row_loops {

/// What one read of a row of logits gives.
struct RowSums {
  float largest;
  float all;           ///< sum of the logits
  float exponentials;  ///< sum of exp(logit - largest)
};

/// Lanes are summed separately by hand: the order of a float sum affects the result, so the
/// compiler may not change it.
inline constexpr std::int64_t lanes = 16;

/// `exponentials` is left at 0.
[[gnu::always_inline]] inline RowSums read_row(const float* row, std::int64_t count) {
  float largest[lanes], all[lanes];
  for (std::int64_t l = 0; l < lanes; ++l) largest[l] = -INFINITY, all[l] = 0.0F;
  const auto whole = count / lanes * lanes;
  for (std::int64_t i = 0; i < whole; i += lanes)
    for (std::int64_t l = 0; l < lanes; ++l) {
      largest[l] = row[i + l] > largest[l] ? row[i + l] : largest[l];
      all[l] += row[i + l];
    }
  RowSums sums{-INFINITY, 0.0F, 0.0F};
  for (std::int64_t l = 0; l < lanes; ++l) {
    sums.largest = largest[l] > sums.largest ? largest[l] : sums.largest;
    sums.all += all[l];
  }
  for (std::int64_t i = whole; i < count; ++i) {
    sums.largest = row[i] > sums.largest ? row[i] : sums.largest;
    sums.all += row[i];
  }
  return sums;
}

/// row = exp(row - largest); returns the sum.
[[gnu::always_inline]] inline float exponentiate_row(float* row, std::int64_t count,
                                                     float largest) {
  float sum[lanes] = {};
  const auto whole = count / lanes * lanes;
  for (std::int64_t i = 0; i < whole; i += lanes)
    for (std::int64_t l = 0; l < lanes; ++l) {
      const float e = fast_exp(row[i + l] - largest);
      row[i + l] = e;
      sum[l] += e;
    }
  float total = 0.0F;
  for (const float part : sum) total += part;
  for (std::int64_t i = whole; i < count; ++i) {
    row[i] = fast_exp(row[i] - largest);
    total += row[i];
  }
  return total;
}

}  // namespace dragoman::row_loops
