#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/forced_prefix.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Per-sentence inputs of a search.
struct SearchBatch {
  std::span<const std::int64_t> max_lengths;  ///< maximum tokens of a hypothesis, EOS included
  ForcedPrefixes prefixes;
  std::span<const std::uint64_t> streams;  ///< random number streams; for sampling
};

/// Runs the search that `options` select: `sample`, `greedy_search` or `beam_search`; see there.
/// \return for each sentence at most `options.n_best` hypotheses
std::vector<std::vector<Hypothesis>> run_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                const SearchOptions& options,
                                                const SearchTokens& tokens);

}  // namespace dragoman
