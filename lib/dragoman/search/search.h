#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/search_batch.h"

#include <vector>

namespace dragoman {

/// Runs the search that `options` select: `sample`, `greedy_search` or `beam_search`; see there.
/// \return for each sentence at most `options.n_best` hypotheses, unless `batch.returned` asks for
///     all
std::vector<std::vector<Hypothesis>> run_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                const SearchOptions& options);

}  // namespace dragoman
