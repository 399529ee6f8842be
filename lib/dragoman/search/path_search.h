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

/// A path that needs its next token.
struct OpenPath {
  std::size_t sentence = 0;
  std::size_t path = 0;  ///< index among the sentence's paths
  const Hypothesis& so_far;
};

/// Chooses the next token of a path, with its log-probability; none if no token is allowed.
/// \param row of the path in `reader`
using TokenChoice =
    std::function<std::optional<Candidate>(StepReader& reader, std::int64_t row, const OpenPath&)>;

/// Follows `paths` independent paths for each sentence until EOS or its length limit. Paths share
/// only the batch; finished ones leave it.
/// \param scorer fresh: no tokens given yet
/// \param max_lengths maximum length of each sentence in tokens, EOS included; at least 1
/// \return for each sentence its paths in order; their scores are their log-probabilities
/// \throws DataError if the model's output is not finite
std::vector<std::vector<Hypothesis>> search_paths(NextTokenScorer& scorer,
                                                  std::span<const std::int64_t> max_lengths,
                                                  ForcedPrefixes prefixes, std::int64_t paths,
                                                  const SearchTokens& tokens,
                                                  const TokenChoice& choose);

}  // namespace dragoman
