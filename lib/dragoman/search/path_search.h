#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/logits_reader.h"
#include "dragoman/search/search_batch.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace dragoman {

/// A path that needs its next token.
struct OpenPath {
  std::size_t sentence = 0;
  std::size_t path = 0;  ///< index among the sentence's paths
  const Hypothesis& so_far;
};

/// How paths are continued.
struct TokenChoice {
  /// What is asked of a path's row: the best of the tokens that are not banned, or a drawn one. A
  /// scorer may rank all rows at once.
  std::function<TokenQuery(const OpenPath&)> query;
  /// The answer, with its log-probability; none if no token is allowed.
  /// \param row of the path in `reader`
  std::function<std::optional<Candidate>(StepReader& reader, std::int64_t row,
                                         const TokenQuery& query)>
      answer;
  const SearchOptions* sampling = nullptr;  ///< as in `RankingRequest`
};

/// Follows some independent paths for each sentence until EOS or its length limit. Paths share only
/// the batch; finished ones leave it.
/// \param scorer fresh: no tokens given yet
/// \param paths of each sentence
/// \return for each sentence its paths in order; their scores are their log-probabilities
/// \throws DataError if the model's output is not finite
std::vector<std::vector<Hypothesis>> search_paths(NextTokenScorer& scorer, const SearchBatch& batch,
                                                  const SearchOptions& options, std::int64_t paths,
                                                  const TokenChoice& choice);

}  // namespace dragoman
