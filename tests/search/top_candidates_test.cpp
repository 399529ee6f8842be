#include "dragoman/search/top_candidates.h"

#include "support/catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace top_candidates_test {

namespace {

using dragoman::Candidate;
using dragoman::log_sum_exp;
using dragoman::log_sum_exp_of_chunks;
using dragoman::top_candidates;

/// Random values; every third one occurs several times, some are forbidden.
template <typename Scalar>
std::vector<Scalar> random_row(std::size_t size, std::mt19937& random) {
  std::normal_distribution<double> normal(0.0, 4.0);
  std::vector<Scalar> row(size);
  for (auto& value : row) {
    const double drawn = normal(random);
    value = static_cast<Scalar>(random() % 3 == 0 ? std::round(drawn) : drawn);
    if (random() % 50 == 0) value = -std::numeric_limits<Scalar>::infinity();
  }
  return row;
}

/// Reference implementation: sort everything.
template <typename Scalar>
std::vector<std::int64_t> sorted_indices(const std::vector<Scalar>& row, std::size_t count) {
  std::vector<std::int64_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](std::int64_t i) { return row[static_cast<std::size_t>(i)]; };
  std::ranges::stable_sort(order, std::greater<>(), value);
  std::erase_if(order, [&](std::int64_t i) { return std::isinf(value(i)); });
  order.resize(std::min(order.size(), count));
  return order;
}

template <typename Scalar>
void check_candidates(const std::vector<Scalar>& row, std::size_t count) {
  std::vector<Candidate> best(count);
  best.resize(top_candidates(std::span<const Scalar>(row), best));
  std::vector<std::int64_t> found;
  for (const auto& [value, index] : best) {
    found.push_back(index);
    CHECK(value == static_cast<double>(row[static_cast<std::size_t>(index)]));
  }
  CHECK(found == sorted_indices(row, count));
}

/// `LogitsOf::chunk_sums`
std::vector<float> sums_of_chunks(const std::vector<float>& row) {
  std::vector<float> sums;
  for (std::size_t at = 0; at < row.size(); at += dragoman::logits_chunk) {
    const auto chunk = std::span(row).subspan(at).first(
        std::min<std::size_t>(dragoman::logits_chunk, row.size() - at));
    const float largest = *std::ranges::max_element(chunk);
    double sum = 0.0;
    for (const float value : chunk) sum += std::exp(static_cast<double>(value - largest));
    sums.push_back(static_cast<float>(sum));
  }
  return sums;
}

}  // namespace

TEMPLATE_TEST_CASE("the best elements of a row are those that sorting finds", "[property]", float,
                   double) {
  std::mt19937 random(1);
  for (const std::size_t size : {1U, 5U, 63U, 64U, 65U, 127U, 128U, 129U, 700U, 8000U})
    for (const std::size_t count : {1U, 2U, 8U, 40U, 100U, 256U, 257U, 5000U}) {
      CAPTURE(size, count);
      for (int repeat = 0; repeat < 5; ++repeat)
        check_candidates(random_row<TestType>(size, random), count);
    }
}

TEMPLATE_TEST_CASE("ties are ordered by smaller index", "[unit]", float, double) {
  check_candidates(std::vector<TestType>(300, TestType{2}), 8);
}

TEMPLATE_TEST_CASE("a row of forbidden elements has no candidates", "[unit]", float, double) {
  check_candidates(std::vector<TestType>(200, -std::numeric_limits<TestType>::infinity()), 4);
}

TEMPLATE_TEST_CASE("log-sum-exp equals the plain sum", "[property]", float, double) {
  std::mt19937 random(2);
  const double tolerance = std::is_same_v<TestType, float> ? 1e-6 : 1e-13;
  for (const std::size_t size : {1U, 63U, 64U, 65U, 8000U})
    for (const double shift : {0.0, 1000.0, -1000.0}) {
      CAPTURE(size, shift);
      auto row = random_row<TestType>(size, random);
      row[0] = TestType{1};
      for (auto& value : row) value += static_cast<TestType>(shift);
      long double sum = 0.0L;
      for (const auto value : row) sum += std::exp(static_cast<long double>(value) - shift);
      const double expected = shift + static_cast<double>(std::log(sum));
      CHECK(std::abs(log_sum_exp(std::span<const TestType>(row)) - expected) <= tolerance);
    }
}

TEMPLATE_TEST_CASE("log-sum-exp of a row that is not finite is not finite", "[unit]", float,
                   double) {
  for (const auto bad :
       {std::numeric_limits<TestType>::quiet_NaN(), std::numeric_limits<TestType>::infinity()})
    for (const std::size_t place : {0U, 70U, 199U}) {
      std::vector<TestType> row(200, TestType{1});
      row[place] = bad;
      CHECK_FALSE(std::isfinite(log_sum_exp(std::span<const TestType>(row))));
    }
}

TEST_CASE("known maxima of blocks change neither the candidates nor the sum", "[property]") {
  std::mt19937 random(3);
  for (const std::size_t size : {1U, 64U, 65U, 8000U})
    for (const std::size_t count : {1U, 8U, 200U, 400U}) {
      CAPTURE(size, count);
      const auto row = random_row<float>(size, random);
      std::vector<float> maxima;
      for (std::size_t at = 0; at < size; at += dragoman::logits_block)
        maxima.push_back(
            *std::max_element(row.begin() + static_cast<std::ptrdiff_t>(at),
                              row.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                                at + dragoman::logits_block, size))));
      std::vector<Candidate> expected(count), found(count);
      expected.resize(top_candidates(std::span<const float>(row), expected));
      found.resize(top_candidates(std::span<const float>(row), maxima, found));
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].index == expected[i].index);
        CHECK(found[i].value == expected[i].value);
      }
      CHECK(log_sum_exp(std::span<const float>(row), maxima) ==
            log_sum_exp(std::span<const float>(row)));
      const auto sums = sums_of_chunks(row);
      CHECK(std::abs(log_sum_exp_of_chunks(maxima, sums) -
                     log_sum_exp(std::span<const float>(row))) <= 1e-6);
    }
}

}  // namespace top_candidates_test
