#pragma once

#include <cstdint>

namespace dragoman {

/// Sampling options of the experiment on why scores are divided by sqrt(d_k) (section 3.2.1).
struct ScaleSampling {
  std::int64_t d_k = 64;
  std::int64_t pairs = 102400;  ///< number of query-key pairs; a multiple of `keys`
  std::int64_t keys = 16;       ///< number of keys per softmax
  std::uint64_t seed = 1;
};

/// Results for components drawn from the normal distribution with mean 0 and variance 1.
struct ScaleFacts {
  double variance = 0.0;         ///< of q . k
  double scaled_variance = 0.0;  ///< of q . k / sqrt(d_k)
  double standard_error = 0.0;   ///< of the variance, relative: sqrt((2 + 6 / d_k) / pairs)
  double largest_weight = 0.0;   ///< of a softmax over unscaled scores, mean
  double scaled_largest_weight = 0.0;
  double jacobian = 0.0;  ///< mean Frobenius norm of that softmax's derivative
  double scaled_jacobian = 0.0;
};

ScaleFacts sample_scale(const ScaleSampling& sampling);

}  // namespace dragoman
