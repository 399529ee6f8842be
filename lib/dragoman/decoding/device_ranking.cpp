#include "dragoman/decoding/device_ranking.h"

#include "dragoman/tensor/device.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
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

/// The log-probability of each row's given token, [rows, 1]; undefined if no row has one.
at::Tensor given_log_probs(const at::Tensor& log_probs, std::span<const TokenQuery> rows) {
  if (std::ranges::none_of(rows, [](const auto& row) { return row.given.has_value(); })) return {};
  std::vector<std::int64_t> tokens;
  for (const auto& row : rows) tokens.push_back(row.given.value_or(0));
  return log_probs.gather(1, numbers_on(log_probs.device(), tokens).unsqueeze(1));
}

void forbid_tokens(at::Tensor& log_probs, const RankingRequest& request) {
  for (const auto token : request.rules.forbidden())
    log_probs.select(1, token).fill_(minus_infinity);
  std::vector<std::int64_t> places;
  for (std::size_t row = 0; row < request.rows.size(); ++row)
    for (const auto token : request.rows[row].banned)
      places.push_back(static_cast<std::int64_t>(row) * log_probs.size(1) + token);
  if (!places.empty())
    log_probs.view(-1).index_fill_(0, numbers_on(log_probs.device(), places), minus_infinity);
}

/// Of each row, sorted by falling probability, the fewest tokens whose share reaches `top_p`; the
/// others become 0. Then the least probable come first, as in `TokenSampler`.
at::Tensor top_p_of(const at::Tensor& probabilities, double top_p) {
  const auto before = probabilities.cumsum(1) - probabilities;
  return probabilities.masked_fill(before >= top_p, 0.0).flip({1});
}

/// A token of each row, [rows, 1], drawn as `TokenSampler` and `token_at` do it.
/// \param draws [rows, 1] float64
at::Tensor drawn_tokens(const at::Tensor& log_probs, const at::Tensor& draws,
                        const SearchOptions& sampling) {
  const auto vocab_size = log_probs.size(1);
  const bool has_top_k = sampling.top_k > 0;
  const bool is_sorted = has_top_k || sampling.top_p < 1.0;
  auto kept = log_probs;
  at::Tensor order;  // the tokens of `kept`
  if (is_sorted) {
    // Of equal ones, as many logits in bf16 are, the smaller id comes first.
    std::tie(kept, order) = at::sort(log_probs, /*stable=*/true, 1, /*descending=*/true);
    const auto count = has_top_k ? std::min(sampling.top_k, vocab_size) : vocab_size;
    kept = kept.narrow(1, 0, count);
    order = order.narrow(1, 0, count);
  }
  auto probabilities = (kept.to(at::kDouble) / sampling.temperature).softmax(1);
  if (sampling.top_p < 1.0) {
    probabilities = top_p_of(probabilities, sampling.top_p);
    order = order.flip({1});
  }
  const auto ends = probabilities.cumsum(1);
  const auto last = ends.size(1) - 1;
  // The last share ends where the sum does, which no draw reaches.
  const auto places = (ends <= draws * ends.narrow(1, last, 1)).sum(1, true).clamp_max(last);
  return is_sorted ? order.gather(1, places) : places;
}

/// The same in blocks of rows: a draw needs several times the memory of its logits.
at::Tensor drawn_in_blocks(const at::Tensor& log_probs, std::span<const TokenQuery> rows,
                           const SearchOptions& sampling) {
  constexpr std::int64_t most_logits = std::int64_t{1} << 24;
  std::vector<double> numbers;
  for (const auto& row : rows) numbers.push_back(row.draw);
  const auto draws =
      at::tensor(numbers, at::kDouble).to(log_probs.device(), /*non_blocking=*/true).unsqueeze(1);
  const auto block = std::max<std::int64_t>(most_logits / log_probs.size(1), 1);
  std::vector<at::Tensor> tokens;
  for (std::int64_t first = 0; first < log_probs.size(0); first += block) {
    const auto count = std::min(block, log_probs.size(0) - first);
    tokens.push_back(
        drawn_tokens(log_probs.narrow(0, first, count), draws.narrow(0, first, count), sampling));
  }
  return at::cat(tokens);
}

/// Tokens with their log-probabilities, each [rows, count].
struct FoundTokens {
  at::Tensor values, tokens;
};

FoundTokens found_tokens(const at::Tensor& log_probs, const RankingRequest& request,
                         std::int64_t count) {
  if (request.sampling) {
    const auto tokens = drawn_in_blocks(log_probs, request.rows, *request.sampling);
    return {log_probs.gather(1, tokens), tokens};
  }
  auto [values, tokens] = at::topk(log_probs, count, 1);
  return {std::move(values), std::move(tokens)};
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
    normalisers = normalisers + allowed;  // not finite if none is allowed
  }
  const auto count = request.sampling ? 1 : std::min(request.count, log_probs.size(1));
  const auto [values, tokens] = found_tokens(log_probs, request, count);
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
