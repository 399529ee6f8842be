#pragma once

#include "dragoman/loss/loss.h"

#include <cmath>
#include <cstdint>

namespace test {

/// Entropy in nats of the smoothed target distribution: the minimum possible loss per token.
inline double smoothed_entropy(const dragoman::LabelSmoothing& smoothing, std::int64_t vocab_size) {
  if (smoothing.eps == 0.0) return 0.0;
  const auto target = dragoman::smoothed_target(smoothing, vocab_size);
  const double mass = target.spread, peak = target.extra + mass;
  const auto others = target.excluded < 0 ? vocab_size - 1 : vocab_size - 2;
  return -peak * std::log(peak) - static_cast<double>(others) * mass * std::log(mass);
}

}  // namespace test
