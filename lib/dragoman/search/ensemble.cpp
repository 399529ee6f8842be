#include "dragoman/search/ensemble.h"

#include "dragoman/core/error.h"
#include "dragoman/core/simd.h"
#include "dragoman/kernels/fast_exp.h"
#include "dragoman/search/top_candidates.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dragoman {

namespace {

/// ln(1 + exp(-d)) for d >= 0, absolute error below 2e-7.
[[gnu::always_inline]] inline float softplus_of_minus(float d) {
  const float x = fast_exp(-d);                // in [0, 1]
  const float s = x / (2.0F + x), s2 = s * s;  // ln(1 + x) = 2 artanh(x / (2 + x))
  float p = 1.0F / 11.0F;
  p = p * s2 + 1.0F / 9.0F;
  p = p * s2 + 1.0F / 7.0F;
  p = p * s2 + 1.0F / 5.0F;
  p = p * s2 + 1.0F / 3.0F;
  p = p * s2 + 1.0F;
  return 2.0F * s * p;
}

inline double softplus_of_minus(double d) { return std::log1p(std::exp(-d)); }

/// ln(exp(a) + exp(b)). NaN if one of them is.
template <typename Scalar>
[[gnu::always_inline]] inline Scalar log_add_exp(Scalar a, Scalar b) {
  const Scalar larger = a > b ? a : b, difference = a > b ? a - b : b - a;
  return larger + softplus_of_minus(difference);
}

void add_probabilities(float* sums, const float* logits, std::size_t count, float normaliser) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < count; ++i) sums[i] = log_add_exp(sums[i], logits[i] - normaliser);
  });
}

void add_probabilities(double* sums, const double* logits, std::size_t count, double normaliser) {
  for (std::size_t i = 0; i < count; ++i) sums[i] = log_add_exp(sums[i], logits[i] - normaliser);
}

/// Replaces a row of the first model's logits by the logarithm of the mean probabilities.
template <typename Scalar>
void replace_row(std::span<const Logits> logits, std::int64_t row) {
  const auto row_of = [row](const Logits& of_model) {
    return std::get<LogitsOf<Scalar>>(of_model).row(row);
  };
  const auto sums = row_of(logits.front());
  const auto normaliser_of = [](std::span<const Scalar> values) {
    return static_cast<Scalar>(log_sum_exp(values));
  };
  const auto own = normaliser_of(sums);
  for (auto& value : sums) value -= own;
  for (const auto& member : logits.subspan(1)) {
    const auto values = row_of(member);
    add_probabilities(sums.data(), values.data(), sums.size(), normaliser_of(values));
  }
  const auto count = static_cast<Scalar>(std::log(static_cast<double>(logits.size())));
  for (auto& value : sums) value -= count;
}

template <typename Scalar>
bool have_same_tokens(const LogitsOf<Scalar>& a, const LogitsOf<Scalar>& b) {
  return std::ranges::equal(a.tokens, b.tokens, [](const auto& of_a, const auto& of_b) {
    return std::ranges::equal(of_a, of_b);
  });
}

template <typename Scalar>
void replace_rows(std::span<const Logits> logits, const LogitsOf<Scalar>& first) {
  for (const auto& member : logits) {
    const auto* values = std::get_if<LogitsOf<Scalar>>(&member);
    if (values == nullptr || values->rows != first.rows || values->vocab_size != first.vocab_size ||
        !have_same_tokens(*values, first))
      throw ContractError("ensemble: its models' logits differ in type or shape");
  }
  for (std::int64_t row = 0; row < first.rows; ++row) replace_row<Scalar>(logits, row);
}

}  // namespace

void replace_by_mean_log_probs(std::span<const Logits> logits) {
  std::visit([&](const auto& first) { replace_rows(logits, first); }, logits.front());
}

EnsembleScorer::EnsembleScorer(std::vector<std::unique_ptr<NextTokenScorer>> members)
    : members_(std::move(members)) {}

void EnsembleScorer::advance(std::span<const std::int64_t> tokens) {
  for (auto& member : members_) member->advance(tokens);
}

bool EnsembleScorer::takes_prefixes() const {
  return std::ranges::all_of(members_, [](const auto& member) { return member->takes_prefixes(); });
}

std::vector<std::vector<PrefixToken>> EnsembleScorer::advance_prefix(ForcedPrefixes prefixes,
                                                                     std::int64_t length,
                                                                     const TokenRules& rules) {
  const auto added = [](const PrefixToken& a, const PrefixToken& b) {
    return PrefixToken{log_add_exp(a.log_prob, b.log_prob),
                       log_add_exp(a.log_allowed, b.log_allowed)};
  };
  auto sums = members_.front()->advance_prefix(prefixes, length, rules);
  for (const auto& member : std::span(members_).subspan(1)) {
    const auto more = member->advance_prefix(prefixes, length, rules);
    for (std::size_t i = 0; i < sums.size(); ++i)
      std::ranges::transform(sums[i], more[i], sums[i].begin(), added);
  }
  const auto count = std::log(static_cast<double>(members_.size()));
  for (auto& of_sentence : sums)
    for (auto& sum : of_sentence) sum = {sum.log_prob - count, sum.log_allowed - count};
  return sums;
}

Logits EnsembleScorer::logits(std::int64_t first, std::int64_t count) {
  std::vector<Logits> logits;
  for (auto& member : members_) logits.push_back(member->logits(first, count));
  replace_by_mean_log_probs(logits);
  std::visit(
      [](auto& mean) {
        mean.block_maxima = nullptr;
        mean.chunk_sums = nullptr;
      },
      logits.front());
  return logits.front();
}

bool EnsembleScorer::ranks_tokens() const {
  return std::ranges::all_of(members_, [](const auto& member) { return member->ranks_tokens(); });
}

RankedTokens EnsembleScorer::rank_tokens(const RankingRequest& request,
                                         std::span<NextTokenScorer* const> others) {
  std::vector<NextTokenScorer*> rest(others.begin(), others.end());
  for (const auto& member : std::span(members_).subspan(1)) rest.push_back(member.get());
  return members_.front()->rank_tokens(request, rest);
}

std::int64_t EnsembleScorer::rows_at_once() const {
  std::int64_t rows = members_.front()->rows_at_once();
  for (const auto& member : members_) rows = std::min(rows, member->rows_at_once());
  return rows;
}

std::vector<double> EnsembleScorer::coverage() {
  std::vector<double> mean;
  for (auto& member : members_) {
    const auto part = member->coverage();
    mean.resize(part.size());
    for (std::size_t row = 0; row < part.size(); ++row)
      mean[row] += part[row] / static_cast<double>(members_.size());
  }
  return mean;
}

void EnsembleScorer::select_rows(std::span<const std::int64_t> rows) {
  for (auto& member : members_) member->select_rows(rows);
}

void EnsembleScorer::select_sentences(std::span<const std::int64_t> sentences) {
  for (auto& member : members_) member->select_sentences(sentences);
}

}  // namespace dragoman
