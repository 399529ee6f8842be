#include "dragoman/search/logits_reader.h"

#include "dragoman/core/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dragoman {

namespace {

/// Log-probabilities down here mean "forbidden" and never enter a hypothesis.
constexpr double forbidden_log_prob = -1e8;

template <typename Scalar>
std::size_t best_of_row(std::span<Scalar> row, std::span<const std::int64_t> banned,
                        const SearchTokens& tokens, std::span<Candidate> best) {
  const double normaliser = log_sum_exp(std::span<const Scalar>(row));
  if (!std::isfinite(normaliser))
    throw DataError(
        "model: its output is not a number or infinite; take another checkpoint, the weights of "
        "this one are damaged");
  const auto forbid = [row](std::int64_t token) {
    row[static_cast<std::size_t>(token)] = -std::numeric_limits<Scalar>::infinity();
  };
  forbid(tokens.pad);
  forbid(tokens.bos);
  for (const auto token : banned) forbid(token);
  std::size_t count = top_candidates(std::span<const Scalar>(row), best);
  for (std::size_t i = 0; i < count; ++i) best[i].value -= normaliser;
  while (count > 0 && best[count - 1].value <= forbidden_log_prob) --count;
  return count;
}

template <typename Scalar>
std::span<Scalar> row_of(const at::Tensor& logits, std::int64_t row) {
  const auto size = logits.size(1);
  return {logits.mutable_data_ptr<Scalar>() + row * size, static_cast<std::size_t>(size)};
}

}  // namespace

LogitsReader::LogitsReader(at::Tensor logits, const SearchTokens& tokens)
    : logits_(std::move(logits)), tokens_(tokens) {
  if (!logits_.is_cpu()) logits_ = logits_.cpu();
  if (logits_.scalar_type() != at::kDouble) logits_ = logits_.to(at::kFloat);
  logits_ = logits_.contiguous();
}

std::size_t LogitsReader::best_tokens(std::int64_t row, std::span<const std::int64_t> banned,
                                      std::span<Candidate> best) const {
  return logits_.scalar_type() == at::kDouble
             ? best_of_row(row_of<double>(logits_, row), banned, tokens_, best)
             : best_of_row(row_of<float>(logits_, row), banned, tokens_, best);
}

std::size_t StepReader::best_tokens(std::int64_t row, std::span<const std::int64_t> banned,
                                    std::span<Candidate> best) {
  if (!block_ || row >= first_ + block_->rows()) {
    first_ = row;
    block_.emplace(scorer_.logits(row, std::min(scorer_.rows_at_once(), rows_ - row)), tokens_);
  }
  return block_->best_tokens(row - first_, banned, best);
}

}  // namespace dragoman
