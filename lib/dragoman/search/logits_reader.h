#pragma once

#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/token_sampler.h"
#include "dragoman/search/top_candidates.h"
#include "dragoman/text/special_ids.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>

namespace dragoman {

/// The logits of one step, row by row, in the form a search needs: the best allowed tokens, with
/// log-probabilities from the softmax over all tokens.
class LogitsReader {
 public:
  /// \param logits [rows, vocab_size]; may be overwritten
  /// \param special of which pad and BOS are never allowed
  LogitsReader(at::Tensor logits, const SpecialIds& special);

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

  std::int64_t rows() const { return logits_.size(0); }

 private:
  at::Tensor logits_;  ///< on the CPU, contiguous, float32 or float64
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
