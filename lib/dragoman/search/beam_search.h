#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/search_batch.h"

#include <vector>

namespace dragoman {

/// Beam search over a batch of sentences (section 6.1; `Beam` has the rules). Sentences are
/// independent of each other; finished ones leave the batch.
/// \param scorer fresh: no tokens given yet
/// \return for each sentence at most `options.n_best` hypotheses, those that the length limit ended
///     after the finished ones and both by score (with `strict_beam` all by score); or all that
///     were found if `batch.returned` asks for them
/// \throws DataError if the model's output is not finite; ContractError if a coverage penalty is
///     set and `scorer` does not track coverage
std::vector<std::vector<Hypothesis>> beam_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                 const SearchOptions& options);

}  // namespace dragoman
