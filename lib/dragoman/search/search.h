#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/search_batch.h"

#include <vector>

namespace dragoman {

/// The search that `options` ask for: `sample`, `greedy_search` or `beam_search`, which say more.
/// \return for each sentence at most `options.n_best` hypotheses, unless `batch.returned` asks for
/// all
std::vector<std::vector<Hypothesis>> run_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                const SearchOptions& options,
                                                const SearchTokens& tokens);

}  // namespace dragoman
