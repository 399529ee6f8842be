#pragma once

#include "dragoman/run/loaded_run.h"

#include <cstdint>
#include <span>

namespace dragoman {

/// A test of attention as explanation: are the source pieces with the most attention the most
/// important ones? ("Attention is not Explanation", Jain and Wallace 2019.)
///
/// A piece's attention is its share of the last layer's encoder-decoder weights, averaged over
/// heads and steps. Its gradient importance is |gradient x input| of log P(target | source) at its
/// embedding. Erasing means removing the piece from the source. EOS is excluded throughout.
struct ErasureReport {
  std::int64_t sentences = 0;     ///< pairs with at least three source pieces
  double rank_correlation = 0.0;  ///< mean Spearman correlation of attention with gradient x input
  double correlated = 0.0;        ///< share of sentences with a correlation above 0.5
  // Mean drop of log P(target | source) in nats when one piece is erased:
  double drop_most_attended = 0.0;
  double drop_least_attended = 0.0;
  double drop_largest_gradient = 0.0;
  double drop_random = 0.0;
  double attended_beats_random = 0.0;  ///< share of sentences in which the drop is larger
};

/// \param seed for the random pieces
ErasureReport test_erasure(const LoadedRun& run, std::span<const LinePair> pairs,
                           std::uint64_t seed);

/// Spearman's rank correlation; ties get their mean rank. 0 if one side is constant.
double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace dragoman
