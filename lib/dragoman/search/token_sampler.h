#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/top_candidates.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dragoman {

/// The tokens that sampling chooses from: softmax(logits / temperature), cut to the `top_k`
/// likeliest, then to the fewest likeliest ones whose share of what is left reaches `top_p`.
class TokenSampler {
 public:
  explicit TokenSampler(const SearchOptions& options) : options_(options) {}

  /// \param logits of one row; -infinity = the token must not come
  /// \return tokens (`index`) with probabilities (`value`) that sum to 1, in no particular order;
  ///     none where no token may come. Valid until the next call.
  std::span<const Candidate> distribution(std::span<const float> logits);
  std::span<const Candidate> distribution(std::span<const double> logits);

 private:
  template <typename Scalar>
  std::span<const Candidate> distribution_of(std::span<const Scalar> logits);
  template <typename Scalar>
  void keep_top_k(std::span<const Scalar> logits);
  double keep_top_p(double sum);

  SearchOptions options_;
  std::vector<Candidate> kept_;
};

/// The token in whose share of [0, 1) `u` falls, the shares laid end to end; none if there is none.
std::optional<std::int64_t> token_at(std::span<const Candidate> distribution, double u);

}  // namespace dragoman
