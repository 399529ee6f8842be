#include "dragoman/metrics/edit_distance.h"

#include "support/catch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>

namespace edit_distance_test {

using namespace dragoman;

namespace {

/// The whole matrix, without a band.
std::int64_t full_distance(const std::u32string& a, const std::u32string& b) {
  std::vector<std::int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::int64_t diagonal = row[0];
    row[0] = static_cast<std::int64_t>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// The whole matrix of which only the cells near the diagonal are computed, by TER's rule.
std::int64_t banded_distance(const std::u32string& a, const std::u32string& b) {
  constexpr std::int64_t far = 1 << 29;
  const auto rows = std::ssize(a), columns = std::ssize(b);
  const double slope = static_cast<double>(columns) / static_cast<double>(rows);
  const double half = slope / 2 > 25 ? std::ceil(slope / 2 + 25) : 25;
  std::vector<std::int64_t> above(b.size() + 1);
  std::iota(above.begin(), above.end(), 0);
  for (std::int64_t i = 1; i <= rows; ++i) {
    const double diagonal = std::floor(static_cast<double>(i) * slope);
    const auto begin = static_cast<std::int64_t>(std::max(0.0, diagonal - half));
    const auto end =
        i == rows ? columns + 1 : std::min(columns + 1, static_cast<std::int64_t>(diagonal + half));
    std::vector<std::int64_t> row(b.size() + 1, far);
    for (auto j = begin; j < end; ++j) {
      const auto at = static_cast<std::size_t>(j);
      auto best = above[at] + 1;
      if (j > 0) {
        const bool same = a[static_cast<std::size_t>(i - 1)] == b[at - 1];
        best = std::min({best, above[at - 1] + (same ? 0 : 1), row[at - 1] + 1});
      }
      row[at] = std::min(best, far);
    }
    above = std::move(row);
  }
  return above.back();
}

std::u32string random_words(std::mt19937& random, std::size_t length) {
  std::u32string words(length, U'a');
  for (auto& word : words) word = static_cast<char32_t>(U'a' + random() % 4);
  return words;
}

}  // namespace

TEST_CASE("within the band the distance is the edit distance", "[property]") {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const auto reference = random_words(random, 1 + random() % 20);
    const auto hypothesis = random_words(random, random() % 20);
    EditDistance distance(reference, hypothesis.size());
    CAPTURE(trial);
    CHECK(distance.set_hypothesis(hypothesis) == full_distance(hypothesis, reference));
  }
}

TEST_CASE("long sentences are compared within the band alone", "[property]") {
  std::mt19937 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    const auto reference = random_words(random, 1 + random() % 300);
    const auto hypothesis = random_words(random, 1 + random() % 300);
    const auto shift = std::min<std::size_t>(hypothesis.size(), random() % 80);
    const auto moved = hypothesis.substr(shift) + hypothesis.substr(0, shift);
    EditDistance distance(reference, hypothesis.size());
    CAPTURE(trial, reference.size(), hypothesis.size());
    CHECK(distance.set_hypothesis(hypothesis) == banded_distance(hypothesis, reference));
    CHECK(distance.distance_of(moved) == banded_distance(moved, reference));
    CHECK(distance.distance_of(hypothesis) == banded_distance(hypothesis, reference));
    CHECK(distance.alignment().link.size() == reference.size());
  }
}

TEST_CASE("a long hypothesis of a short reference, and the other way, stay within memory",
          "[unit]") {
  const std::u32string one(1, U'a'), many(200'000, U'b');
  CHECK(EditDistance(one, many.size()).set_hypothesis(many) == std::ssize(many));
  CHECK(EditDistance(many, 1).set_hypothesis(one) == std::ssize(many));
  CHECK(EditDistance(many, many.size()).set_hypothesis(many) == 0);
}

TEST_CASE("the distance of a hypothesis does not depend on the one before", "[property]") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const auto reference = random_words(random, 1 + random() % 12);
    const auto first = random_words(random, 10);
    auto second = first;
    second[random() % 10] = U'z';
    EditDistance distance(reference, 10);
    distance.set_hypothesis(first);
    CAPTURE(trial);
    CHECK(distance.distance_of(second) == full_distance(second, reference));
    CHECK(distance.distance_of(first) == full_distance(first, reference));
  }
}

TEST_CASE("the alignment links words and marks errors on both sides", "[unit]") {
  EditDistance distance(U"abcd", 4);
  CHECK(distance.set_hypothesis(U"xbde") == 4 - 1);
  const auto alignment = distance.alignment();
  CHECK(alignment.link == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(alignment.hypothesis_error == std::vector<char>{1, 0, 1, 1});
  CHECK(alignment.reference_error == std::vector<char>{1, 0, 1, 1});
}

TEST_CASE("an inserted word links to the position before it", "[unit]") {
  EditDistance distance(U"abc", 2);
  CHECK(distance.set_hypothesis(U"bc") == 1);
  const auto alignment = distance.alignment();
  CHECK(alignment.link == std::vector<std::int64_t>{-1, 0, 1});
  CHECK(alignment.reference_error == std::vector<char>{1, 0, 0});
}

}  // namespace edit_distance_test
