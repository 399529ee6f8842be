#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/token_rules.h"
#include "dragoman/search/top_candidates.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dragoman {

/// Log-probabilities this low mean "forbidden" and never enter a hypothesis.
inline constexpr double forbidden_log_prob = -1e8;

/// \param normaliser the logarithm of the softmax denominator of a row
/// \throws DataError if it is not finite, as the model's output then is not either
void expect_finite_output(double normaliser);

/// What a search asks of one row of a step.
struct TokenQuery {
  std::optional<std::int64_t> given = {};  ///< this token alone, allowed or not
  std::vector<std::int64_t> banned = {};   ///< not allowed, besides those of the rules
  double draw = 0.0;                       ///< in [0, 1): selects a token if they are drawn
};

/// What it asks of all of them at once.
struct RankingRequest {
  std::span<const TokenQuery> rows;
  std::int64_t count = 1;  ///< tokens of a row at most
  TokenRules rules = {};
  /// A token of each row is drawn as `TokenSampler` does with these options; null = the best ones.
  const SearchOptions* sampling = nullptr;
};

/// The answers: tokens with log-probabilities as the rules say.
class RankedTokens {
 public:
  /// \param rows of each, its tokens, best first
  explicit RankedTokens(std::vector<std::vector<Candidate>> rows) : rows_(std::move(rows)) {}

  std::span<const Candidate> row(std::int64_t index) const {
    return rows_[static_cast<std::size_t>(index)];
  }

 private:
  std::vector<std::vector<Candidate>> rows_;
};

}  // namespace dragoman
