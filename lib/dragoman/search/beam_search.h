#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/search_batch.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Beam search over a batch of sentences (section 6.1; `Beams` has the rules). Sentences do not
/// influence each other; those that are done leave the batch.
/// \param scorer fresh: no token given yet
/// \param batch its limits at least 1
/// \return for each sentence at most `options.n_best` hypotheses, best first, or all that were
/// found
/// \throws DataError if the model's output is not finite; ContractError if there is a coverage
///     penalty and `scorer` keeps no account of coverage
std::vector<std::vector<Hypothesis>> beam_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                 const SearchOptions& options,
                                                 const SearchTokens& tokens);

/// The same for the n best.
std::vector<std::vector<Hypothesis>> beam_search(NextTokenScorer& scorer,
                                                 std::span<const std::int64_t> max_lengths,
                                                 const SearchOptions& options,
                                                 const SearchTokens& tokens,
                                                 ForcedPrefixes prefixes = {});

}  // namespace dragoman
