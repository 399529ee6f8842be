#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/search_batch.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Beam search over a batch of sentences (section 6.1; `Beams` has the rules). Sentences are
/// independent of each other; finished ones leave the batch.
/// \param scorer fresh: no tokens given yet
/// \param batch the maximum length of each sentence's hypotheses at least 1
/// \return for each sentence at most `options.n_best` hypotheses, best first, or all that were found
/// \throws DataError if the model's output is not finite; ContractError if a coverage penalty is
///     set and `scorer` does not track coverage
std::vector<std::vector<Hypothesis>> beam_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                 const SearchOptions& options,
                                                 const SearchTokens& tokens);

/// The same for the `options.n_best` best hypotheses.
std::vector<std::vector<Hypothesis>> beam_search(NextTokenScorer& scorer,
                                                 std::span<const std::int64_t> max_lengths,
                                                 const SearchOptions& options,
                                                 const SearchTokens& tokens,
                                                 ForcedPrefixes prefixes = {});

}  // namespace dragoman
