#include "dragoman/search/logits_reader.h"

#include "dragoman/core/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace dragoman {

namespace {

/// Log-probabilities this low mean "forbidden" and never enter a hypothesis.
constexpr double forbidden_log_prob = -1e8;

/// One row of logits.
template <typename Scalar>
struct LogitsRow {
  std::span<Scalar> values;
  std::span<Scalar> block_maxima;  ///< empty = unknown
};

template <typename Scalar>
double log_sum_exp_of(const LogitsRow<Scalar>& row) {
  const std::span<const Scalar> values = row.values, maxima = row.block_maxima;
  if constexpr (std::is_same_v<Scalar, float>)
    if (!maxima.empty()) return log_sum_exp(values, maxima);
  return log_sum_exp(values);
}

template <typename Scalar>
std::size_t top_candidates_of(const LogitsRow<Scalar>& row, std::span<Candidate> best) {
  const std::span<const Scalar> values = row.values, maxima = row.block_maxima;
  if constexpr (std::is_same_v<Scalar, float>)
    if (!maxima.empty()) return top_candidates(values, maxima, best);
  return top_candidates(values, best);
}

/// Logarithm of the softmax denominator of the row.
template <typename Scalar>
double normaliser_of(const LogitsRow<Scalar>& row) {
  const double normaliser = log_sum_exp_of(row);
  if (!std::isfinite(normaliser))
    throw DataError(
        "model: its output is NaN or infinite; use another checkpoint, the weights of "
        "this one are damaged");
  return normaliser;
}

template <typename Scalar>
void forbid(const LogitsRow<Scalar>& row, std::int64_t token) {
  constexpr auto block = static_cast<std::size_t>(logits_block);
  const auto place = static_cast<std::size_t>(token);
  const auto before = row.values[place];
  row.values[place] = -std::numeric_limits<Scalar>::infinity();
  if (row.block_maxima.empty() || before < row.block_maxima[place / block]) return;
  const auto of_block = row.values.subspan(place / block * block);
  row.block_maxima[place / block] =
      *std::ranges::max_element(of_block.first(std::min(block, of_block.size())));
}

template <typename Scalar>
void forbid(const LogitsRow<Scalar>& row, std::span<const std::int64_t> banned,
            const SpecialIds& special) {
  forbid(row, special.pad);
  forbid(row, special.bos);
  for (const auto token : banned) forbid(row, token);
}

template <typename Scalar>
std::size_t best_of_row(const LogitsRow<Scalar>& row, std::span<const std::int64_t> banned,
                        const SpecialIds& special, std::span<Candidate> best) {
  const double normaliser = normaliser_of(row);
  forbid(row, banned, special);
  std::size_t count = top_candidates_of(row, best);
  for (std::size_t i = 0; i < count; ++i) best[i].value -= normaliser;
  while (count > 0 && best[count - 1].value <= forbidden_log_prob) --count;
  return count;
}

template <typename Scalar>
Candidate given_of_row(const LogitsRow<Scalar>& row, std::int64_t token) {
  const auto logit = static_cast<double>(row.values[static_cast<std::size_t>(token)]);
  return {logit - normaliser_of(row), token};
}

template <typename Scalar>
std::optional<Candidate> drawn_of_row(const LogitsRow<Scalar>& row,
                                      std::span<const std::int64_t> banned,
                                      const SpecialIds& special, TokenSampler& sampler, double u) {
  const double normaliser = normaliser_of(row);
  forbid(row, banned, special);
  const auto token = token_at(sampler.distribution(std::span<const Scalar>(row.values)), u);
  if (!token) return std::nullopt;
  const double log_prob =
      static_cast<double>(row.values[static_cast<std::size_t>(*token)]) - normaliser;
  if (log_prob <= forbidden_log_prob) return std::nullopt;
  return Candidate{log_prob, *token};
}

/// Calls `use` with a row as float or double.
template <typename Use>
auto with_row(const Logits& logits, std::int64_t row, const Use& use) {
  return std::visit(
      [&]<typename Scalar>(const LogitsOf<Scalar>& rows) {
        return use(LogitsRow<Scalar>{rows.row(row), rows.maxima_of_row(row)});
      },
      logits);
}

}  // namespace

std::size_t LogitsReader::best_tokens(std::int64_t row, std::span<const std::int64_t> banned,
                                      std::span<Candidate> best) const {
  return with_row(logits_, row,
                  [&](const auto& logits) { return best_of_row(logits, banned, special_, best); });
}

std::optional<Candidate> LogitsReader::drawn_token(std::int64_t row,
                                                   std::span<const std::int64_t> banned,
                                                   TokenSampler& sampler, double u) const {
  return with_row(logits_, row, [&](const auto& logits) {
    return drawn_of_row(logits, banned, special_, sampler, u);
  });
}

Candidate LogitsReader::given_token(std::int64_t row, std::int64_t token) const {
  return with_row(logits_, row, [&](const auto& logits) { return given_of_row(logits, token); });
}

std::size_t StepReader::best_tokens(std::int64_t row, std::span<const std::int64_t> banned,
                                    std::span<Candidate> best) {
  return block_with(row).best_tokens(row - first_, banned, best);
}

std::optional<Candidate> StepReader::drawn_token(std::int64_t row,
                                                 std::span<const std::int64_t> banned,
                                                 TokenSampler& sampler, double u) {
  return block_with(row).drawn_token(row - first_, banned, sampler, u);
}

Candidate StepReader::given_token(std::int64_t row, std::int64_t token) {
  return block_with(row).given_token(row - first_, token);
}

const LogitsReader& StepReader::block_with(std::int64_t row) {
  if (!block_ || row >= first_ + block_->rows()) {
    first_ = row;
    block_.emplace(scorer_.logits(row, std::min(scorer_.rows_at_once(), rows_ - row)), special_);
  }
  return *block_;
}

}  // namespace dragoman
