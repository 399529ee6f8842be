#pragma once

#include "dragoman/search/forced_prefix.h"
#include "dragoman/search/logits.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/token_ranking.h"
#include "dragoman/search/token_rules.h"
#include "dragoman/search/token_sampler.h"
#include "dragoman/search/top_candidates.h"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace dragoman {

/// The logits of one step, row by row, in the form a search needs: the best allowed tokens, with
/// log-probabilities from the softmax over all tokens, over those of a shortlist, or over the
/// allowed ones. Each row may be read once: the logits of what is forbidden are overwritten.
class LogitsReader {
 public:
  /// \param logits will be overwritten; must outlive this object
  LogitsReader(const Logits& logits, const TokenRules& rules)
      : logits_(logits), rules_(rules), forbidden_(rules.forbidden()) {}

  /// Fills `best` with the most probable tokens, best first; ties by smaller id.
  /// \param banned further tokens that are not allowed
  /// \return their number
  /// \throws DataError if the row is not finite
  std::size_t best_tokens(std::int64_t row, std::span<const std::int64_t> banned,
                          std::span<Candidate> best) const;

  /// A token drawn from the allowed ones, with its log-probability; none if no token is allowed.
  /// \param u in [0, 1): the random number that selects the token. The other parameters and errors
  ///     are those of `best_tokens`.
  std::optional<Candidate> drawn_token(std::int64_t row, std::span<const std::int64_t> banned,
                                       TokenSampler& sampler, double u) const;

  /// The given token with its log-probability, allowed or not; a shortlist has to have it. Where
  /// probabilities are those of the allowed tokens, no further ones are banned.
  /// \throws DataError as `best_tokens` does
  Candidate given_token(std::int64_t row, std::int64_t token) const;

  /// The given token of a prefix, as `given_token`, with both normalisers where the rules ask for
  /// the allowed tokens.
  /// \throws DataError as `best_tokens` does
  PrefixToken prefix_token(std::int64_t row, std::int64_t token) const;

  std::int64_t rows() const {
    return std::visit([](const auto& logits) { return logits.rows; }, logits_);
  }

 private:
  Logits logits_;
  TokenRules rules_;
  std::vector<std::int64_t> forbidden_;
};

/// The answers to the queries of one step, of which each is read at most once, in ascending order.
/// A scorer that `ranks_tokens` answers all of them at once; of others, the logits are computed
/// block by block as they are read.
class StepReader {
 public:
  /// \param request must outlive this object, as must its queries; `drawn_token` needs its
  ///     `sampling`, `best_tokens` null
  StepReader(NextTokenScorer& scorer, const RankingRequest& request);

  // The answer to a row's query, as LogitsReader gives it.
  std::size_t best_tokens(std::int64_t row, std::span<Candidate> best);
  std::optional<Candidate> drawn_token(std::int64_t row, TokenSampler& sampler);
  Candidate given_token(std::int64_t row);

 private:
  const TokenQuery& query(std::int64_t row) const {
    return request_.rows[static_cast<std::size_t>(row)];
  }

  /// The block that contains the row; its first row is `first_`.
  const LogitsReader& block_with(std::int64_t row);

  NextTokenScorer& scorer_;
  const RankingRequest& request_;
  std::optional<RankedTokens> ranked_;
  std::optional<LogitsReader> block_;
  std::int64_t first_ = 0;  ///< index of the block's first row
};

}  // namespace dragoman
