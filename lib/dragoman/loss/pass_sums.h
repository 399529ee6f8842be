#pragma once

#include <cstdint>

namespace dragoman {

/// The losses of one pass over some data.
struct PassSums {
  double loss = 0.0;  ///< what is minimised, nats: smoothed cross-entropy, plus `consistency`
  double nll = 0.0;   ///< unsmoothed, nats
  double consistency = 0.0;  ///< the part of `loss` that is a divergence of two passes, nats
  std::int64_t correct = 0;
  std::int64_t tokens = 0;

  PassSums& operator+=(const PassSums& other) {
    loss += other.loss;
    nll += other.nll;
    consistency += other.consistency;
    correct += other.correct;
    tokens += other.tokens;
    return *this;
  }
};

}  // namespace dragoman
