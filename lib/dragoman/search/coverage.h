#pragma once

#include <span>

namespace dragoman {

/// Attention below it counts as this much, so that logarithms stay finite.
inline constexpr double least_coverage = 1e-30;

/// The sum over the source's tokens j of ln(min(sum_i a_ij, 1)), where a_ij is the attention weight
/// of the i-th target token on j: 0 if every source token received the attention of about one
/// target token, and lower the more were missed (Wu et al. 2016, section 7, where it is multiplied
/// by beta).
/// \param attention of each source token, summed over the target tokens; clamped below at
///     `least_coverage`
double log_coverage(std::span<const float> attention);

}  // namespace dragoman
