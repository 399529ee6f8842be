#include "dragoman/experiment/statistics.h"

#include "dragoman/core/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dragoman {

namespace {

/// The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by
/// Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), result = d;
  const auto extend = [&](double numerator) {
    d = 1.0 / away_from_zero(1.0 + numerator * d);
    c = away_from_zero(1.0 + numerator / c);
    result *= c * d;
    return std::abs(c * d - 1.0) > 1e-15;
  };
  constexpr int most_terms = 10000;
  for (int m = 1; m < most_terms; ++m) {
    extend(m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)));
    if (!extend(-(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)))) break;
  }
  return result;
}

/// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0 || x >= 1.0) return x <= 0.0 ? 0.0 : 1.0;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on one side of the mean.
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

/// The logarithm of the number of ways to choose k of n.
double log_choices(std::int64_t n, std::int64_t k) {
  const auto log_factorial = [](std::int64_t i) {
    return std::lgamma(static_cast<double>(i) + 1.0);
  };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

Sample sample_of(std::span<const double> values) {
  Sample sample{.count = std::ssize(values)};
  if (values.empty()) return sample;
  for (const double value : values) sample.mean += value;
  sample.mean /= static_cast<double>(sample.count);
  double squares = 0.0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  if (sample.count > 1)
    sample.standard_deviation = std::sqrt(squares / static_cast<double>(sample.count - 1));
  return sample;
}

ErrorPart error_of_mean(const Sample& sample) {
  if (sample.count < 2) throw ContractError("the error of a mean needs two values");
  const auto count = static_cast<double>(sample.count);
  const double deviation = sample.standard_deviation;
  return {.variance = deviation * deviation / count, .degrees_of_freedom = count - 1.0};
}

ErrorPart sum_of(std::span<const ErrorPart> parts) {
  double variance = 0.0, squares = 0.0;
  for (const auto& part : parts) {
    variance += part.variance;
    if (part.variance > 0.0) squares += part.variance * part.variance / part.degrees_of_freedom;
  }
  return {.variance = variance,
          .degrees_of_freedom = squares > 0.0 ? variance * variance / squares : 1.0};
}

std::vector<double> leave_out_groups(
    std::size_t lines, const std::function<double(const std::vector<std::size_t>&)>& measure) {
  std::vector<double> values;
  if (lines < jackknife_groups) return values;
  for (std::size_t group = 0; group < jackknife_groups; ++group) {
    std::vector<std::size_t> rest;
    for (std::size_t line = 0; line < lines; ++line)
      if (line % jackknife_groups != group) rest.push_back(line);
    values.push_back(measure(rest));
  }
  return values;
}

ErrorPart jackknife_error(std::span<const double> replicates) {
  const auto sample = sample_of(replicates);
  const auto groups = static_cast<double>(sample.count);
  const double deviation = sample.standard_deviation;
  return {.variance = deviation * deviation * (groups - 1.0) * (groups - 1.0) / groups,
          .degrees_of_freedom = groups - 1.0};
}

double estimated_share(double share, std::int64_t lines) {
  if (lines < 1) throw ContractError("a share of test lines needs lines");
  const auto n = static_cast<double>(lines);
  return (share * n + 2.0) / (n + 4.0);
}

ErrorPart share_error(double share, std::int64_t lines) {
  const auto n = static_cast<double>(lines);
  const double p = estimated_share(share, lines);
  return {.variance = p * (1.0 - p) / (n + 4.0), .degrees_of_freedom = n + 3.0};
}

double fisher_exact(const Divergence& a, const Divergence& b) {
  const auto all = a.trained + b.trained, diverged = a.diverged + b.diverged;
  // Of all ways in which so many of all training runs can diverge, those with `of_a` in a.
  const auto probability = [&](std::int64_t of_a) {
    return std::exp(log_choices(a.trained, of_a) + log_choices(b.trained, diverged - of_a) -
                    log_choices(all, diverged));
  };
  // Equally probable ways differ in their last digits.
  const double most = probability(a.diverged) * (1.0 + 1e-7);
  double sum = 0.0;
  for (auto of_a = std::max<std::int64_t>(0, diverged - b.trained);
       of_a <= std::min(a.trained, diverged); ++of_a)
    if (const double each = probability(of_a); each <= most) sum += each;
  return std::min(1.0, sum);
}

double student_t_tail(double t, double nu) {
  if (!(nu > 0.0)) throw ContractError("Student's t: needs degrees of freedom");
  if (std::isinf(t)) return t > 0.0 ? 0.0 : 1.0;
  const double half = 0.5 * incomplete_beta(0.5 * nu, 0.5, nu / (nu + t * t));
  return t >= 0.0 ? half : 1.0 - half;
}

double student_t(double nu) {
  double low = 0.0, high = 1e6;
  while (high - low > 1e-9 * high) {
    const double middle = 0.5 * (low + high);
    (student_t_tail(middle, nu) > 0.025 ? low : high) = middle;
  }
  return high;
}

std::vector<double> holm(std::vector<double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  double last = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto& probability = p_values[order[i]];
    last = std::max(last, std::min(1.0, probability * static_cast<double>(order.size() - i)));
    probability = last;
  }
  return p_values;
}

}  // namespace dragoman
