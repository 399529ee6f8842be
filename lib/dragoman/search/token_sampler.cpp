#include "dragoman/search/token_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace dragoman {

std::span<const Candidate> TokenSampler::distribution(std::span<const float> logits) {
  return distribution_of(logits);
}

std::span<const Candidate> TokenSampler::distribution(std::span<const double> logits) {
  return distribution_of(logits);
}

template <typename Scalar>
std::span<const Candidate> TokenSampler::distribution_of(std::span<const Scalar> logits) {
  keep_top_k(logits);
  double largest = -std::numeric_limits<double>::infinity();
  for (const auto& token : kept_) largest = std::max(largest, token.value);
  if (!std::isfinite(largest)) return {};
  double sum = 0.0;
  for (auto& token : kept_)
    sum += token.value = std::exp((token.value - largest) / options_.temperature);
  if (options_.top_p < 1.0) sum = keep_top_p(sum);
  for (auto& token : kept_) token.value /= sum;
  return kept_;
}

template <typename Scalar>
void TokenSampler::keep_top_k(std::span<const Scalar> logits) {
  // In the same order if there are no more than k: how many there are depends on other sentences
  // if a shortlist chooses them.
  if (options_.top_k > 0) {
    kept_.resize(std::min(static_cast<std::size_t>(options_.top_k), logits.size()));
    kept_.resize(top_candidates(logits, kept_));
    return;
  }
  kept_.resize(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i)
    kept_[i] = {static_cast<double>(logits[i]), static_cast<std::int64_t>(i)};
}

/// \param sum of all kept weights \return sum of the weights that remain
double TokenSampler::keep_top_p(double sum) {
  const auto less = [](const Candidate& a, const Candidate& b) {
    return std::tuple(a.value, b.index) < std::tuple(b.value, a.index);
  };
  // A heap, since a few tokens usually reach the share and the rest need not be sorted.
  std::make_heap(kept_.begin(), kept_.end(), less);
  auto taken = kept_.end();
  double reached = 0.0;
  while (taken != kept_.begin() && reached < options_.top_p * sum) {
    std::pop_heap(kept_.begin(), taken, less);
    reached += (--taken)->value;
  }
  kept_.erase(kept_.begin(), taken);
  return reached;
}

std::optional<std::int64_t> token_at(std::span<const Candidate> distribution, double u) {
  std::optional<std::int64_t> token;
  double end = 0.0;
  for (const auto& candidate : distribution) {
    if (candidate.value <= 0.0) continue;
    token = candidate.index;  // the last one if rounding leaves `u` beyond all shares
    end += candidate.value;
    if (u < end) break;
  }
  return token;
}

}  // namespace dragoman
