#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/search_batch.h"

#include <vector>

namespace dragoman {

/// Takes the most probable token at each step until EOS or the length limit. Beam search with a
/// beam of 1 considers two candidates and may therefore find a better hypothesis.
/// \param scorer fresh: no tokens given yet
/// \param options those for beams and sampling have no effect
/// \return for each sentence one hypothesis; its score is its log-probability
/// \throws DataError if the model's output is not finite
std::vector<std::vector<Hypothesis>> greedy_search(NextTokenScorer& scorer,
                                                   const SearchBatch& batch,
                                                   const SearchOptions& options);

}  // namespace dragoman
