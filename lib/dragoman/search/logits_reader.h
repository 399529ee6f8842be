#pragma once

#include "dragoman/search/logits.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/token_sampler.h"
#include "dragoman/search/top_candidates.h"
#include "dragoman/text/special_ids.h"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace dragoman {

/// The logits of one step, row by row, in the form a search needs: the best allowed tokens, with
/// log-probabilities from the softmax over all tokens.
class LogitsReader {
 public:
  /// \param logits will be overwritten; must outlive this object
  /// \param special of which pad and BOS are never allowed
  LogitsReader(const Logits& logits, const SpecialIds& special)
      : logits_(logits), special_(special) {}

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

  /// The given token with its log-probability, allowed or not. \throws DataError as `best_tokens`
  /// does
  Candidate given_token(std::int64_t row, std::int64_t token) const;

  std::int64_t rows() const {
    return std::visit([](const auto& logits) { return logits.rows; }, logits_);
  }

 private:
  Logits logits_;
  SpecialIds special_;
};

/// The rows of one step, whose logits are computed block by block as they are read: in ascending
/// order, each at most once.
class StepReader {
 public:
  /// \param rows of the step
  StepReader(NextTokenScorer& scorer, std::int64_t rows, const SpecialIds& special)
      : scorer_(scorer), rows_(rows), special_(special) {}

  // Same as in LogitsReader.
  std::size_t best_tokens(std::int64_t row, std::span<const std::int64_t> banned,
                          std::span<Candidate> best);
  std::optional<Candidate> drawn_token(std::int64_t row, std::span<const std::int64_t> banned,
                                       TokenSampler& sampler, double u);
  Candidate given_token(std::int64_t row, std::int64_t token);

 private:
  /// The block that contains the row; its first row is `first_`.
  const LogitsReader& block_with(std::int64_t row);

  NextTokenScorer& scorer_;
  std::int64_t rows_;
  SpecialIds special_;
  std::optional<LogitsReader> block_;
  std::int64_t first_ = 0;  ///< index of the block's first row
};

}  // namespace dragoman
