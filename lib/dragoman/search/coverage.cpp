#include "dragoman/search/coverage.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

namespace {

template <typename Scalar>
double sum_of_logs(std::span<const Scalar> attention) {
  double sum = 0.0;
  for (const auto value : attention)
    sum += std::log(std::clamp(static_cast<double>(value), least_coverage, 1.0));
  return sum;
}

}  // namespace

double log_coverage(std::span<const float> attention) { return sum_of_logs(attention); }
double log_coverage(std::span<const double> attention) { return sum_of_logs(attention); }

}  // namespace dragoman
