#include "dragoman/search/coverage.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

double log_coverage(std::span<const float> attention) {
  double sum = 0.0;
  for (const auto value : attention)
    sum += std::log(std::clamp(static_cast<double>(value), least_coverage, 1.0));
  return sum;
}

}  // namespace dragoman
