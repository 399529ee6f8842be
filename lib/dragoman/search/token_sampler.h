#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/top_candidates.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dragoman {

/// The tokens that sampling chooses from: softmax(logits / temperature), truncated to the `top_k`
/// most probable, then to the smallest set of most probable tokens whose share of the remaining
/// probability reaches `top_p`.
class TokenSampler {
 public:
  explicit TokenSampler(const SearchOptions& options) : options_(options) {}

  /// \param logits of one row; -infinity = the token is forbidden
  /// \return tokens (`index`) with probabilities (`value`) that sum to 1, in no particular order;
  ///     empty if every token is forbidden. Valid until the next call.
  std::span<const Candidate> distribution(std::span<const float> logits);
  std::span<const Candidate> distribution(std::span<const double> logits);

  /// `token_at` of the distribution. \return none if every token is forbidden
  std::optional<std::int64_t> draw(std::span<const float> logits, double u);
  std::optional<std::int64_t> draw(std::span<const double> logits, double u);

 private:
  /// Whether the temperature is high enough for weights to be computed in float32.
  bool suits_float32() const;
  double weigh(std::span<const float> logits);
  std::span<const Candidate> top_p_of(std::span<const float> logits);
  std::optional<std::int64_t> draw_from_all(std::span<const float> logits, double u);
  template <typename Scalar>
  std::span<const Candidate> distribution_of(std::span<const Scalar> logits);
  template <typename Scalar>
  void keep_top_k(std::span<const Scalar> logits);
  double keep_top_p(double sum);

  SearchOptions options_;
  std::vector<Candidate> kept_;
  std::vector<float> weights_, block_sums_;
};

/// The token into whose share of [0, 1) `u` falls when the shares are laid end to end; none if
/// there are no tokens.
std::optional<std::int64_t> token_at(std::span<const Candidate> distribution, double u);

}  // namespace dragoman
