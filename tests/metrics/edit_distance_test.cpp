#include "dragoman/metrics/edit_distance.h"

#include "support/catch.h"

#include <algorithm>
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
