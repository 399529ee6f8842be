#pragma once

#include "dragoman/search/logits.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace dragoman {

/// An element of a row and its index.
struct Candidate {
  double value = 0.0;
  std::int64_t index = 0;
};

/// ln(sum(exp(row))) without overflow; within 1e-6 of the exact value for float. NaN or infinity if
/// the row contains NaN or +infinity. `row` must not be empty.
double log_sum_exp(std::span<const float> row);
double log_sum_exp(std::span<const double> row);

/// Fills `best` with the largest elements of `row`, largest first, ties by smaller index.
/// \return their number: best.size(), or fewer if the row has fewer elements above -infinity
std::size_t top_candidates(std::span<const float> row, std::span<Candidate> best);
std::size_t top_candidates(std::span<const double> row, std::span<Candidate> best);

// The same with the largest value of each `logits_block` consecutive elements, which saves reading
// most of them.
double log_sum_exp(std::span<const float> row, std::span<const float> block_maxima);
std::size_t top_candidates(std::span<const float> row, std::span<const float> block_maxima,
                           std::span<Candidate> best);

/// ln(sum(exp(row))) by these and the sums that `LogitsOf` calls `chunk_sums`.
double log_sum_exp_of_chunks(std::span<const float> block_maxima,
                             std::span<const float> chunk_sums);

}  // namespace dragoman
