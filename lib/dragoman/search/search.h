#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/forced_prefix.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// What a search knows of a batch's sentences.
struct SearchBatch {
  std::span<const std::int64_t> max_lengths;  ///< tokens of a hypothesis at most, EOS included
  ForcedPrefixes prefixes;
  std::span<const std::uint64_t> streams;  ///< of random numbers; for sampling
};

/// The search that `options` ask for: `sample`, `greedy_search` or `beam_search`, which say more.
/// \return for each sentence at most `options.n_best` hypotheses
std::vector<std::vector<Hypothesis>> run_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                const SearchOptions& options,
                                                const SearchTokens& tokens);

}  // namespace dragoman
