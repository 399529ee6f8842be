#pragma once

#include "dragoman/translate/pair_score.h"

#include <cstdint>
#include <optional>

namespace dragoman {

/// How well a model predicts held-out text by teacher forcing, as validations of a training measure
/// it. It is made of sums, to which pairs are added.
class Likelihood {
 public:
  void add(const PairScore& score);

  std::int64_t pieces() const { return pieces_; }  ///< of the target, EOS included
  double nll() const;                              ///< mean in nats per piece; NaN without text
  double perplexity() const;                       ///< exp(nll)
  /// Share of the pieces that are the most probable ones, 0 to 1; none for an ensemble, whose
  /// scores do not show it, or without text.
  std::optional<double> accuracy() const;

 private:
  double nll_ = 0.0;
  std::int64_t pieces_ = 0, told_ = 0, correct_ = 0;
};

}  // namespace dragoman
