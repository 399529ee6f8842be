#include "dragoman/search/token_sampler.h"

#include "dragoman/kernels/row_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace dragoman {

namespace {

constexpr std::size_t summed_weights = 64;  // in a block

}  // namespace

std::span<const Candidate> TokenSampler::distribution(std::span<const float> logits) {
  const bool has_top_p_alone = options_.top_k == 0 && options_.top_p < 1.0;
  return has_top_p_alone && suits_float32() ? top_p_of(logits) : distribution_of(logits);
}

std::span<const Candidate> TokenSampler::distribution(std::span<const double> logits) {
  return distribution_of(logits);
}

std::optional<std::int64_t> TokenSampler::draw(std::span<const float> logits, double u) {
  if (options_.top_k == 0 && options_.top_p >= 1.0 && suits_float32())
    return draw_from_all(logits, u);
  return token_at(distribution(logits), u);
}

std::optional<std::int64_t> TokenSampler::draw(std::span<const double> logits, double u) {
  return token_at(distribution(logits), u);
}

bool TokenSampler::suits_float32() const {
  constexpr double coldest = 1e-3;
  return options_.temperature >= coldest;
}

/// Sets the weights and the sums of their blocks: 1 for the largest logit.
/// \return the sum of all; 0 if every token is forbidden
double TokenSampler::weigh(std::span<const float> logits) {
  const float largest = *std::ranges::max_element(logits);
  if (!std::isfinite(largest)) return 0.0;
  weights_.resize(logits.size());
  block_sums_.resize((logits.size() + summed_weights - 1) / summed_weights);
  exponentials(logits.data(), std::ssize(logits), largest,
               static_cast<float>(1.0 / options_.temperature), summed_weights, weights_.data(),
               block_sums_.data());
  double total = 0.0;
  for (const float sum : block_sums_) total += static_cast<double>(sum);
  return total;
}

/// Without top_k and top_p: the sums of the blocks tell in which block the token is, and only its
/// weights are added one by one.
std::optional<std::int64_t> TokenSampler::draw_from_all(std::span<const float> logits, double u) {
  const double total = weigh(logits);
  if (total == 0.0) return std::nullopt;
  const double wanted = u * total;
  double end = 0.0;
  std::size_t chosen = 0;  // the last with a weight, if rounding leaves `u` beyond all shares
  double begin = 0.0;
  for (std::size_t b = 0; b < block_sums_.size() && (b == 0 || wanted >= end); ++b) {
    if (block_sums_[b] > 0.0F) {
      chosen = b;
      begin = end;
    }
    end += static_cast<double>(block_sums_[b]);
  }
  std::optional<std::int64_t> token;
  const auto last = std::min((chosen + 1) * summed_weights, weights_.size());
  for (auto i = chosen * summed_weights; i < last; ++i) {
    if (weights_[i] <= 0.0F) continue;
    token = static_cast<std::int64_t>(i);
    begin += static_cast<double>(weights_[i]);
    if (wanted < begin) break;
  }
  return token;
}

/// With top_p alone: only tokens whose weights reach a threshold are sorted. It is lowered until
/// they have the share top_p of the probability.
std::span<const Candidate> TokenSampler::top_p_of(std::span<const float> logits) {
  kept_.clear();
  const double total = weigh(logits);
  if (total == 0.0) return {};
  double sum = 0.0;
  for (float threshold = 0.01F; sum < options_.top_p * total; threshold /= 20.0F) {
    // Rounding may leave the sum of all below the share.
    const bool is_last = threshold < std::numeric_limits<float>::min();
    sum = is_last ? total : 0.0;
    kept_.clear();
    for (std::size_t b = 0; b < block_sums_.size(); ++b) {
      if (block_sums_[b] < threshold) continue;
      const auto last = std::min((b + 1) * summed_weights, weights_.size());
      for (auto i = b * summed_weights; i < last; ++i) {
        if (weights_[i] < threshold) continue;
        kept_.push_back({static_cast<double>(weights_[i]), static_cast<std::int64_t>(i)});
        if (!is_last) sum += kept_.back().value;
      }
    }
  }
  const double reached = keep_top_p(total);
  for (auto& token : kept_) token.value /= reached;
  return kept_;
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
  // Sorted even if there are no more than k: with a shortlist their number depends on the other
  // sentences of the batch, and the order decides what is drawn.
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
