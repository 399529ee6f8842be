#pragma once

#include "dragoman/text/example.h"
#include "dragoman/text/lines.h"
#include "dragoman/translate/run.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// log P(target | source) of one pair, in nats.
struct PairScore {
  double log_prob = 0.0;                ///< of all pieces and EOS
  std::vector<std::string> pieces;      ///< of the target, EOS included as "</s>"
  std::vector<double> piece_log_probs;  ///< of each, given the source and the previous pieces
};

/// Scores pairs by teacher forcing, in batches of similar length; the result is in the order of the
/// pairs. A blank side counts as no pieces, EOS alone.
/// \param runs at least one; several (with one vocabulary, see `load_runs`) are an ensemble: the
///     mean of their probabilities for each piece
/// \param batch_tokens padded positions of one batch
std::vector<PairScore> score_pairs(std::span<const LoadedRun> runs,
                                   const std::vector<LinePair>& pairs,
                                   std::int64_t batch_tokens = 4096);

}  // namespace dragoman
