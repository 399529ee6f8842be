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

/// Tokens with their log-probabilities, each [rows, count].
struct FoundTokens {
  at::Tensor values, tokens;
};

FoundTokens best_tokens(const at::Tensor& log_probs, std::int64_t count) {
  auto [values, tokens] = at::topk(log_probs, count, 1);
  return {std::move(values), std::move(tokens)};
}

/// Of each row, sorted by falling probability, the fewest tokens whose share reaches `top_p`; the
/// others become 0. Then the least probable come first, as in `TokenSampler`.
at::Tensor top_p_of(const at::Tensor& probabilities, double top_p) {
  const auto before = probabilities.cumsum(1) - probabilities;
  return probabilities.masked_fill(before >= top_p, 0.0).flip({1});
}

/// One token of each row, drawn as `TokenSampler` and `token_at` do it.
FoundTokens drawn_tokens(const at::Tensor& log_probs, std::span<const TokenQuery> rows,
                         const SearchOptions& sampling) {
  const auto vocab_size = log_probs.size(1);
  const bool has_top_k = sampling.top_k > 0 && sampling.top_k < vocab_size;
  const bool is_sorted = has_top_k || sampling.top_p < 1.0;
  auto kept = log_probs;
  at::Tensor order;  // the tokens of `kept`
  if (is_sorted) {
    auto best = best_tokens(log_probs, has_top_k ? sampling.top_k : vocab_size);
    kept = std::move(best.values);
    order = std::move(best.tokens);
  }
  auto probabilities = (kept.to(at::kDouble) / sampling.temperature).softmax(1);
  if (sampling.top_p < 1.0) {
    probabilities = top_p_of(probabilities, sampling.top_p);
    order = order.flip({1});
  }
  const auto ends = probabilities.cumsum(1);
  std::vector<double> draws;
  for (const auto& row : rows) draws.push_back(row.draw);
  const auto draw = at::tensor(draws, at::kDouble).to(ends.device(), /*non_blocking=*/true);
  // The last share ends where the sum does, which no draw reaches.
  const auto limit = draw.unsqueeze(1) * ends.narrow(1, ends.size(1) - 1, 1);
  auto places = (ends <= limit).sum(1, /*keepdim=*/true).clamp_max(ends.size(1) - 1);
  const auto tokens = is_sorted ? order.gather(1, places) : places;
  return {log_probs.gather(1, tokens), tokens};
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
  const auto count = request.sampling ? 1 : std::min(request.count, log_probs.size(1));
  const auto [values, tokens] = request.sampling
                                    ? drawn_tokens(log_probs, request.rows, *request.sampling)
                                    : best_tokens(log_probs, count);
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
