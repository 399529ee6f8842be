#include "dragoman/decoding/device_ranking.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace dragoman {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// [rows, vocab_size] log-probabilities, and [rows, 1] a number that is finite if all logits are.
struct StepLogProbs {
  at::Tensor values, normalisers;
};

StepLogProbs log_probs_of(const at::Tensor& logits) {
  const auto type = logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  auto values = logits.to(type).contiguous();
  const auto normalisers = at::logsumexp(values, {1}, /*keepdim=*/true);
  return {values.sub_(normalisers), normalisers};
}

StepLogProbs mean_log_probs(std::span<const at::Tensor> logits) {
  auto mean = log_probs_of(logits.front());
  if (logits.size() == 1) return mean;
  for (const auto& of_model : logits.subspan(1)) {
    const auto more = log_probs_of(of_model);
    mean.values = at::logaddexp(mean.values, more.values);
    mean.normalisers = mean.normalisers + more.normalisers;
  }
  mean.values.sub_(std::log(static_cast<double>(logits.size())));
  return mean;
}

at::Tensor on_device_of(const at::Tensor& like, const std::vector<std::int64_t>& numbers) {
  return at::tensor(numbers, at::kLong).to(like.device(), /*non_blocking=*/true);
}

/// The log-probability of each row's given token, [rows, 1]; undefined if no row has one.
at::Tensor given_log_probs(const at::Tensor& log_probs, std::span<const TokenQuery> rows) {
  if (std::ranges::none_of(rows, [](const auto& row) { return row.given.has_value(); })) return {};
  std::vector<std::int64_t> tokens;
  for (const auto& row : rows) tokens.push_back(row.given.value_or(0));
  return log_probs.gather(1, on_device_of(log_probs, tokens).unsqueeze(1));
}

void forbid_tokens(at::Tensor& log_probs, const RankingRequest& request) {
  for (const auto token : request.rules.forbidden())
    log_probs.select(1, token).fill_(minus_infinity);
  std::vector<std::int64_t> places;
  for (std::size_t row = 0; row < request.rows.size(); ++row)
    for (const auto token : request.rows[row].banned)
      places.push_back(static_cast<std::int64_t>(row) * log_probs.size(1) + token);
  if (!places.empty())
    log_probs.view(-1).index_fill_(0, on_device_of(log_probs, places), minus_infinity);
}

/// \param numbers of a row: log-probabilities, then their tokens
std::vector<Candidate> best_first(const double* numbers, std::int64_t count) {
  std::vector<Candidate> tokens;
  for (std::int64_t i = 0; i < count && numbers[i] > forbidden_log_prob; ++i)
    tokens.push_back({numbers[i], static_cast<std::int64_t>(numbers[count + i])});
  std::ranges::sort(tokens, [](const Candidate& a, const Candidate& b) {
    return a.value != b.value ? a.value > b.value : a.index < b.index;
  });
  return tokens;
}

}  // namespace

RankedTokens rank_on_device(std::span<const at::Tensor> logits, const RankingRequest& request) {
  const at::NoGradGuard no_gradient;
  auto [log_probs, normalisers] = mean_log_probs(logits);
  const auto given = given_log_probs(log_probs, request.rows);
  forbid_tokens(log_probs, request);
  if (request.rules.normaliser == Normaliser::allowed_tokens) {
    const auto allowed = at::logsumexp(log_probs, {1}, /*keepdim=*/true);
    log_probs.sub_(allowed);
    if (given.defined()) given.sub_(allowed);
  }
  const auto count = std::min(request.count, log_probs.size(1));
  const auto [values, tokens] = at::topk(log_probs, count, 1);
  // Doubles hold tokens exactly, so that one copy is enough.
  std::vector<at::Tensor> parts = {values.to(at::kDouble), tokens.to(at::kDouble),
                                   normalisers.to(at::kDouble)};
  if (given.defined()) parts.push_back(given.to(at::kDouble));
  const auto numbers = at::cat(parts, 1).cpu();
  std::vector<std::vector<Candidate>> rows;
  for (std::size_t i = 0; i < request.rows.size(); ++i) {
    const auto* row =
        numbers.const_data_ptr<double>() + static_cast<std::int64_t>(i) * numbers.size(1);
    expect_finite_output(row[2 * count]);
    const auto& query = request.rows[i];
    rows.push_back(query.given ? std::vector<Candidate>{{row[2 * count + 1], *query.given}}
                               : best_first(row, count));
  }
  return RankedTokens(std::move(rows));
}

}  // namespace dragoman
