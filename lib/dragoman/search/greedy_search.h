#pragma once

#include "dragoman/search/forced_prefix.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Takes the most probable token at each step until EOS or the length limit. Beam search with a
/// beam of 1 considers two candidates and may therefore find a better hypothesis.
/// \param scorer fresh: no tokens given yet
/// \param max_lengths maximum length of each sentence in tokens, EOS included; at least 1
/// \param no_repeat_ngram `SearchOptions::no_repeat_ngram`
/// \return one hypothesis for each sentence; its score is its log-probability
/// \throws DataError if the model's output is not finite
std::vector<Hypothesis> greedy_search(NextTokenScorer& scorer,
                                      std::span<const std::int64_t> max_lengths,
                                      const SearchTokens& tokens, std::int64_t no_repeat_ngram = 0,
                                      ForcedPrefixes prefixes = {});

}  // namespace dragoman
