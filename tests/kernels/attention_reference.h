#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace test {

/// Standard normal numbers.
inline std::vector<float> normal_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (auto& number : numbers) number = normal(random);
  return numbers;
}

/// One query of one head and, for each key, where the head's part of it and its value begin.
struct HeadOfQuery {
  const float* query;
  std::vector<const float*> keys, values;
  std::int64_t d_k, d_v;
  double scale;
};

/// softmax(q K^T * scale), in double.
inline std::vector<double> weights_of(const HeadOfQuery& head) {
  std::vector<double> weights;
  for (const auto* key : head.keys) {
    double score = 0.0;
    for (std::int64_t i = 0; i < head.d_k; ++i)
      score += static_cast<double>(head.query[i]) * static_cast<double>(key[i]);
    weights.push_back(score * head.scale);
  }
  const double highest = *std::max_element(weights.begin(), weights.end());
  double sum = 0.0;
  for (auto& weight : weights) sum += weight = std::exp(weight - highest);
  for (auto& weight : weights) weight /= sum;
  return weights;
}

/// The weighted sum of the values.
inline std::vector<double> context_of(const HeadOfQuery& head) {
  const auto weights = weights_of(head);
  std::vector<double> context(static_cast<std::size_t>(head.d_v));
  for (std::size_t t = 0; t < weights.size(); ++t)
    for (std::size_t i = 0; i < context.size(); ++i)
      context[i] += weights[t] * static_cast<double>(head.values[t][i]);
  return context;
}

/// The largest difference of numbers from those expected.
inline double largest_difference(const float* numbers, const std::vector<double>& expected) {
  double largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(numbers[i]) - expected[i]));
  return largest;
}

}  // namespace test
