#include "dragoman/metrics/ngrams.h"

#include "support/catch.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ngrams_test {

using namespace dragoman;

namespace {

std::map<std::u32string, std::int64_t> counts(const std::u32string& text, std::size_t order) {
  std::map<std::u32string, std::int64_t> found;
  for (std::size_t i = 0; i + order <= text.size(); ++i) ++found[text.substr(i, order)];
  return found;
}

/// The definition, one order and one n-gram at a time.
std::int64_t matches_by_definition(const std::u32string& hypothesis,
                                   const std::vector<std::u32string>& references,
                                   std::size_t order) {
  std::int64_t sum = 0;
  for (const auto& [ngram, count] : counts(hypothesis, order)) {
    std::int64_t most = 0;
    for (const auto& reference : references) most = std::max(most, counts(reference, order)[ngram]);
    sum += std::min(count, most);
  }
  return sum;
}

std::u32string random_text(std::mt19937& random) {
  std::u32string text(random() % 12, U' ');
  for (auto& c : text) c = static_cast<char32_t>(U'a' + random() % 3);
  return text;
}

}  // namespace

TEST_CASE("clipped matches agree with counting n-grams in maps", "[property]") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const auto hypothesis = random_text(random);
    std::vector<std::u32string> references(1 + random() % 3);
    for (auto& reference : references) reference = random_text(random);
    const std::vector<std::u32string_view> views(references.begin(), references.end());
    const auto matches = clipped_matches(hypothesis, views, 4);
    REQUIRE(matches.size() == 4);
    for (std::size_t n = 1; n <= 4; ++n) {
      CAPTURE(trial, n);
      CHECK(matches[n - 1] == matches_by_definition(hypothesis, references, n));
    }
  }
}

TEST_CASE("without references nothing matches", "[unit]") {
  CHECK(clipped_matches(U"ab", {}, 2) == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("a sequence shorter than the order has no n-grams", "[unit]") {
  CHECK(ngram_count(3, 1) == 3);
  CHECK(ngram_count(3, 3) == 1);
  CHECK(ngram_count(3, 4) == 0);
}

TEST_CASE("equal tokens get equal numbers across sentences", "[unit]") {
  TokenNumbers numbers;
  const std::vector<std::u32string> first = {U"the", U"cat", U"the"};
  const std::vector<std::u32string> second = {U"cat", U"dog"};
  const auto a = numbers.number(first);
  const auto b = numbers.number(second);
  CHECK(a[0] == a[2]);
  CHECK(a[0] != a[1]);
  CHECK(b[0] == a[1]);
  CHECK(b[1] != a[0]);
}

}  // namespace ngrams_test
