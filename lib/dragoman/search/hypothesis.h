#pragma once

#include <cstdint>
#include <vector>

namespace dragoman {

/// One candidate translation: the tokens that follow BOS.
struct Hypothesis {
  std::vector<std::int32_t> ids;  ///< without BOS; ends with EOS if `finished`
  double log_prob = 0.0;          ///< nats, the sum over `ids`
  /// By beam search log_prob / length penalty, plus `coverage_penalty` * log coverage; else
  /// log_prob.
  double score = 0.0;
  bool finished = false;  ///< false: stopped by the length limit, or no token was allowed
};

}  // namespace dragoman
