#include "dragoman/search/logits_reader.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace dragoman {

namespace {

/// One row of logits.
template <typename Scalar>
struct LogitsRow {
  std::span<Scalar> values;
  std::span<Scalar> block_maxima;        ///< empty = unknown
  std::span<const Scalar> chunk_sums;    ///< the same; before anything is forbidden
  std::span<const std::int32_t> tokens;  ///< empty = all
};

/// Where a token's logit is; none if it is not among the row's tokens.
template <typename Scalar>
std::optional<std::size_t> place_of(const LogitsRow<Scalar>& row, std::int64_t token) {
  if (row.tokens.empty()) return static_cast<std::size_t>(token);
  const auto found = std::ranges::lower_bound(row.tokens, token);
  if (found == row.tokens.end() || *found != token) return std::nullopt;
  return static_cast<std::size_t>(found - row.tokens.begin());
}

/// The token whose logit is there.
template <typename Scalar>
std::int64_t token_of(const LogitsRow<Scalar>& row, std::int64_t place) {
  return row.tokens.empty() ? place : row.tokens[static_cast<std::size_t>(place)];
}

/// Of the values as they are now.
template <typename Scalar>
double log_sum_exp_of(const LogitsRow<Scalar>& row) {
  const std::span<const Scalar> values = row.values, maxima = row.block_maxima;
  if constexpr (std::is_same_v<Scalar, float>)
    if (!maxima.empty()) return log_sum_exp(values, maxima);
  return log_sum_exp(values);
}

/// Of the values before any token was forbidden.
template <typename Scalar>
double log_sum_exp_of_all(const LogitsRow<Scalar>& row) {
  const std::span<const Scalar> maxima = row.block_maxima;
  if constexpr (std::is_same_v<Scalar, float>)
    if (!row.chunk_sums.empty()) return log_sum_exp_of_chunks(maxima, row.chunk_sums);
  return log_sum_exp_of(row);
}

template <typename Scalar>
std::size_t top_candidates_of(const LogitsRow<Scalar>& row, std::span<Candidate> best) {
  const std::span<const Scalar> values = row.values, maxima = row.block_maxima;
  if constexpr (std::is_same_v<Scalar, float>)
    if (!maxima.empty()) return top_candidates(values, maxima, best);
  return top_candidates(values, best);
}

/// Logarithm of a softmax denominator, if it is one. \throws DataError if it is not
double finite(double log_denominator) {
  expect_finite_output(log_denominator);
  return log_denominator;
}

template <typename Scalar>
void forbid(const LogitsRow<Scalar>& row, std::int64_t token) {
  if (const auto place = place_of(row, token)) forbid_logit(row.values, row.block_maxima, *place);
}

/// What is not allowed in a row: by the rules, and besides.
struct Forbidden {
  std::span<const std::int64_t> by_rules, banned;
};

template <typename Scalar>
void forbid(const LogitsRow<Scalar>& row, const Forbidden& forbidden) {
  for (const auto token : forbidden.by_rules) forbid(row, token);
  for (const auto token : forbidden.banned) forbid(row, token);
}

/// Forbids tokens in the row. \return the logarithm of its softmax denominator
template <typename Scalar>
double forbid_and_normalise(const LogitsRow<Scalar>& row, Normaliser over,
                            const Forbidden& forbidden) {
  const double of_all = over == Normaliser::all_tokens ? finite(log_sum_exp_of_all(row)) : 0.0;
  forbid(row, forbidden);
  return over == Normaliser::all_tokens ? of_all : finite(log_sum_exp_of(row));
}

template <typename Scalar>
std::size_t best_of_row(const LogitsRow<Scalar>& row, Normaliser over, const Forbidden& forbidden,
                        std::span<Candidate> best) {
  const double normaliser = forbid_and_normalise(row, over, forbidden);
  std::size_t count = top_candidates_of(row, best);
  for (std::size_t i = 0; i < count; ++i) best[i].value -= normaliser;
  while (count > 0 && best[count - 1].value <= forbidden_log_prob) --count;
  for (std::size_t i = 0; i < count; ++i) best[i].index = token_of(row, best[i].index);
  return count;
}

template <typename Scalar>
double logit_of(const LogitsRow<Scalar>& row, std::int64_t token) {
  const auto place = place_of(row, token);
  if (!place) throw ContractError(concat("LogitsReader: token ", token, " has no logit"));
  return static_cast<double>(row.values[*place]);
}

template <typename Scalar>
Candidate given_of_row(const LogitsRow<Scalar>& row, Normaliser over, const Forbidden& forbidden,
                       std::int64_t token) {
  const auto logit = logit_of(row, token);
  return {logit - forbid_and_normalise(row, over, forbidden), token};
}

template <typename Scalar>
PrefixToken prefix_token_of_row(const LogitsRow<Scalar>& row, Normaliser over,
                                const Forbidden& forbidden, std::int64_t token) {
  const auto logit = logit_of(row, token);
  const double of_all = finite(log_sum_exp_of_all(row));
  if (over == Normaliser::all_tokens) return {.log_prob = logit - of_all};
  forbid(row, forbidden);
  return {.log_prob = logit - of_all, .log_allowed = finite(log_sum_exp_of(row)) - of_all};
}

template <typename Scalar>
std::optional<Candidate> drawn_of_row(const LogitsRow<Scalar>& row, Normaliser over,
                                      const Forbidden& forbidden, TokenSampler& sampler, double u) {
  const double normaliser = forbid_and_normalise(row, over, forbidden);
  const auto place = sampler.draw(std::span<const Scalar>(row.values), u);
  if (!place) return std::nullopt;
  const double log_prob =
      static_cast<double>(row.values[static_cast<std::size_t>(*place)]) - normaliser;
  if (log_prob <= forbidden_log_prob) return std::nullopt;
  return Candidate{log_prob, token_of(row, *place)};
}

/// Calls `use` with a row as float or double.
template <typename Use>
auto with_row(const Logits& logits, std::int64_t row, const Use& use) {
  return std::visit(
      [&]<typename Scalar>(const LogitsOf<Scalar>& rows) {
        return use(LogitsRow<Scalar>{rows.row(row), rows.maxima_of_row(row), rows.sums_of_row(row),
                                     rows.tokens_of_row(row)});
      },
      logits);
}

}  // namespace

std::size_t LogitsReader::best_tokens(std::int64_t row, std::span<const std::int64_t> banned,
                                      std::span<Candidate> best) const {
  return with_row(logits_, row, [&](const auto& logits) {
    return best_of_row(logits, rules_.normaliser, Forbidden{forbidden_, banned}, best);
  });
}

std::optional<Candidate> LogitsReader::drawn_token(std::int64_t row,
                                                   std::span<const std::int64_t> banned,
                                                   TokenSampler& sampler, double u) const {
  return with_row(logits_, row, [&](const auto& logits) {
    return drawn_of_row(logits, rules_.normaliser, Forbidden{forbidden_, banned}, sampler, u);
  });
}

Candidate LogitsReader::given_token(std::int64_t row, std::int64_t token) const {
  return with_row(logits_, row, [&](const auto& logits) {
    return given_of_row(logits, rules_.normaliser, Forbidden{forbidden_, {}}, token);
  });
}

PrefixToken LogitsReader::prefix_token(std::int64_t row, std::int64_t token) const {
  return with_row(logits_, row, [&](const auto& logits) {
    return prefix_token_of_row(logits, rules_.normaliser, Forbidden{forbidden_, {}}, token);
  });
}

StepReader::StepReader(NextTokenScorer& scorer, const RankingRequest& request)
    : scorer_(scorer), request_(request) {
  if (scorer.ranks_tokens()) ranked_ = scorer.rank_tokens(request, {});
}

std::size_t StepReader::best_tokens(std::int64_t row, std::span<Candidate> best) {
  if (ranked_) {
    const auto found = ranked_->row(row);
    const auto kept = std::min(found.size(), best.size());
    std::copy_n(found.begin(), kept, best.begin());
    return kept;
  }
  return block_with(row).best_tokens(row - first_, query(row).banned, best);
}

std::optional<Candidate> StepReader::drawn_token(std::int64_t row, TokenSampler& sampler) {
  if (ranked_) {
    const auto found = ranked_->row(row);
    return found.empty() ? std::nullopt : std::optional(found.front());
  }
  const auto& asked = query(row);
  return block_with(row).drawn_token(row - first_, asked.banned, sampler, asked.draw);
}

Candidate StepReader::given_token(std::int64_t row) {
  if (ranked_) return ranked_->row(row).front();
  return block_with(row).given_token(row - first_, query(row).given.value());
}

const LogitsReader& StepReader::block_with(std::int64_t row) {
  if (!block_ || row >= first_ + block_->rows()) {
    const auto left = std::ssize(request_.rows) - row;
    first_ = row;
    block_.emplace(scorer_.logits(row, std::min(scorer_.rows_at_once(), left)), request_.rules);
  }
  return *block_;
}

}  // namespace dragoman
