#pragma once

#include "dragoman/translate/run.h"

#include <cstdint>
#include <span>

namespace dragoman {

/// The counter-test to "attention explains": do the source pieces that the decoder attends to most
/// matter most? ("Attention is not Explanation", Jain and Wallace 2019.)
///
/// A piece's attention is its share of the last layer's encoder-decoder weights, the mean of heads
/// and steps. Its importance by gradient is |gradient x input| of log P(target | source) at its
/// embedding. Erased means: the same source without the piece. EOS is left out of all of it.
struct ErasureReport {
  std::int64_t sentences = 0;     ///< pairs with at least three source pieces
  double rank_correlation = 0.0;  ///< Spearman's of attention with gradient x input, the mean
  double correlated = 0.0;        ///< share of sentences where it is above 0.5
  // Fall of log P(target | source) in nats when one piece is erased, the mean:
  double drop_most_attended = 0.0;
  double drop_least_attended = 0.0;
  double drop_largest_gradient = 0.0;
  double drop_random = 0.0;
  double attended_beats_random = 0.0;  ///< share of sentences in which it falls more
};

/// \param seed of the random pieces
ErasureReport test_erasure(const LoadedRun& run, std::span<const LinePair> pairs,
                           std::uint64_t seed);

/// Spearman's rank correlation; equal numbers share their mean rank. 0 where one side is constant.
double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace dragoman
