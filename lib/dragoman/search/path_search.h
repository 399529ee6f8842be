#pragma once

#include "dragoman/search/forced_prefix.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/logits_reader.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace dragoman {

/// A path that wants its next token.
struct OpenPath {
  std::size_t sentence = 0;
  std::size_t path = 0;  ///< which of the sentence's
  const Hypothesis& so_far;
};

/// Chooses the token that follows a path, with its log-probability; none where none may come.
/// \param row of the path in `reader`
using TokenChoice =
    std::function<std::optional<Candidate>(StepReader& reader, std::int64_t row, const OpenPath&)>;

/// Follows `paths` paths from each sentence until EOS or its length limit, each by itself: they
/// share nothing but the batch, which those that are done leave.
/// \param scorer fresh: no token given yet
/// \param max_lengths tokens of each sentence at most, EOS included; at least 1
/// \return for each sentence its paths in order; their scores are their log-probabilities
/// \throws DataError if the model's output is not finite
std::vector<std::vector<Hypothesis>> search_paths(NextTokenScorer& scorer,
                                                  std::span<const std::int64_t> max_lengths,
                                                  ForcedPrefixes prefixes, std::int64_t paths,
                                                  const SearchTokens& tokens,
                                                  const TokenChoice& choose);

}  // namespace dragoman
