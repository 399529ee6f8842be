#pragma once

#include "dragoman/experiment/trial_record.h"
#include "dragoman/metrics/tokenizers.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A test line with its translation, and the reference's loss.
struct ScoredLine {
  std::int64_t source_len = 0, target_len = 0;  ///< pieces without EOS
  std::string translation, reference;
  double nll = 0.0;         ///< nats, the sum over `pieces`
  std::int64_t pieces = 0;  ///< of the reference, with EOS
};

/// BLEU of the translations and loss of the references by length of the source.
/// \param limits ascending upper lengths of the buckets in source pieces; the last bucket holds
///     anything longer
/// \return one more bucket than there are limits; empty buckets have 0 sentences
std::vector<LengthBucket> length_buckets(std::span<const ScoredLine> lines,
                                         std::span<const std::int64_t> limits,
                                         BleuTokenizer tokenizer = BleuTokenizer::mteval_13a);

/// BLEU and loss, with their replicates, of the lines whose longer side has at most `max_length`
/// pieces, and of the others: bleu_within, nll_within, bleu_beyond, nll_beyond. A side without
/// lines has none.
/// \param max_length data.max_length of the training, which leaves out pairs by their longer side
TrialRecord record_of_sides(std::span<const ScoredLine> lines, std::int64_t max_length,
                            BleuTokenizer tokenizer = BleuTokenizer::mteval_13a);

}  // namespace dragoman
