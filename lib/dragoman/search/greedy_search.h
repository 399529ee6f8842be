#pragma once

#include "dragoman/search/forced_prefix.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// The likeliest token at each step until EOS or the length limit. Beam search of width 1 looks at
/// two candidates and may therefore find more.
/// \param scorer fresh: no token given yet
/// \param max_lengths tokens of each sentence at most, EOS included; at least 1
/// \param no_repeat_ngram `SearchOptions::no_repeat_ngram`
/// \return one hypothesis for each sentence; its score is its log-probability
/// \throws DataError if the model's output is not finite
std::vector<Hypothesis> greedy_search(NextTokenScorer& scorer,
                                      std::span<const std::int64_t> max_lengths,
                                      const SearchTokens& tokens, std::int64_t no_repeat_ngram = 0,
                                      ForcedPrefixes prefixes = {});

}  // namespace dragoman
