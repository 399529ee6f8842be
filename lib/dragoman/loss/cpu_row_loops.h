#pragma once

#include "dragoman/kernels/fast_exp.h"
#include "dragoman/loss/loss.h"

#include <cmath>
#include <cstdint>

/// Loops over a row of float32 logits, for `run_on_this_cpu`, and the losses that follow from them.
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

/// Whether a class is the most probable one: of equally probable ones the first is, as for argmax.
/// \param largest of the row
[[gnu::always_inline]] inline bool is_argmax(const float* row, std::int64_t index, float largest) {
  if (!(row[index] >= largest)) return false;
  int earlier = 0;
  for (std::int64_t i = 0; i < index; ++i) earlier |= row[i] >= largest ? 1 : 0;
  return earlier == 0;
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

/// Log of the sum of exp(logit).
inline double log_sum(const RowSums& row) {
  return static_cast<double>(row.largest) + std::log(static_cast<double>(row.exponentials));
}

/// A row of logits as its cross-entropy sees it.
struct LossRow {
  double log_sum;      ///< of the exponentials
  float sum;           ///< of the logits
  float of_target;     ///< the target's logit
  float of_excluded;   ///< that of the class without mass; 0 if there is none
  std::int64_t count;  ///< of the logits
};

/// Cross-entropies of one row.
struct RowLosses {
  double smoothed, nll;
};

inline RowLosses losses_of(const LossRow& row, const SmoothedTarget& target) {
  const double nll = row.log_sum - static_cast<double>(row.of_target);
  const auto classes = static_cast<double>(row.count - (target.excluded >= 0 ? 1 : 0));
  const double spread_logits = static_cast<double>(row.sum) - static_cast<double>(row.of_excluded);
  return {target.extra * nll + target.spread * (classes * row.log_sum - spread_logits), nll};
}

}  // namespace dragoman::row_loops
