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
  /// Chooses the next token of a path, with its log-probability; none if no token is allowed.
  /// \param row of the path in `reader`
  std::function<std::optional<Candidate>(StepReader& reader, std::int64_t row, const OpenPath&)>
      choose;
  /// What `choose` asks of a row, so that a scorer may rank all of them at once: the best of the
  /// tokens that are not banned, or a drawn one. None = it chooses in another way.
  std::function<TokenQuery(const OpenPath&)> query = {};
  const SearchOptions* sampling = nullptr;  ///< as in `RankingRequest`
};

/// What all paths of a search have in common.
struct PathOptions {
  std::int64_t paths = 1;  ///< of each sentence
  TokenRules rules = {};
  bool force_eos = false;  ///< the last token at the length limit is EOS, with probability 1
};

/// The path options of a search configuration. \param paths of each sentence
inline PathOptions path_options(std::int64_t paths, const SearchBatch& batch,
                                const SearchOptions& options) {
  return {
      .paths = paths, .rules = token_rules(batch.special, options), .force_eos = options.force_eos};
}

/// Follows `options.paths` independent paths for each sentence until EOS or its length limit. Paths
/// share only the batch; finished ones leave it.
/// \param scorer fresh: no tokens given yet
/// \return for each sentence its paths in order; their scores are their log-probabilities
/// \throws DataError if the model's output is not finite
std::vector<std::vector<Hypothesis>> search_paths(NextTokenScorer& scorer, const SearchBatch& batch,
                                                  const PathOptions& options,
                                                  const TokenChoice& choice);

}  // namespace dragoman
