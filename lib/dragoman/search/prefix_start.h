#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/logits_reader.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/search_batch.h"
#include "dragoman/search/token_rules.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dragoman {

/// The tokens that begin the hypotheses of a batch and are read at once instead of step by step.
struct PrefixStart {
  /// Tokens read of each prefix: the length of the batch's shortest; 0 = none is read.
  std::int64_t length = 0;
  /// For each sentence and token its log-probability, normalised as the rules say; 0 for those of
  /// `SearchBatch::free_tokens`. Empty if `length` is 0.
  std::vector<std::vector<double>> log_probs = {};

  /// The token to give next to the scorer. \param sentence of the batch
  std::int64_t next_token(const SearchBatch& batch, std::size_t sentence) const {
    if (length == 0) return batch.special.bos;
    return batch.prefixes[sentence][static_cast<std::size_t>(length) - 1];
  }
};

/// Lets a scorer that `takes_prefixes` read all of the tokens but the last.
/// \param scorer fresh: no tokens given yet
/// \throws DataError if the model's output is not finite
PrefixStart start_with_prefixes(NextTokenScorer& scorer, const SearchBatch& batch,
                                const TokenRules& rules);

/// The next token of a hypothesis that leaves no choice, with its log-probability: that of its
/// prefix, or with `options.force_eos` EOS at the length limit, of probability 1.
/// \param row of the hypothesis in `reader`, whose query gives the token of the prefix
/// \param length its tokens so far
std::optional<Candidate> fixed_token(StepReader& reader, std::int64_t row, const SearchBatch& batch,
                                     const SearchOptions& options, std::size_t sentence,
                                     std::int64_t length);

}  // namespace dragoman
