#include "dragoman/experiment/scored_lines.h"

#include "dragoman/experiment/statistics.h"
#include "support/catch.h"

#include <array>

namespace scored_lines_test {

using namespace dragoman;

namespace {

ScoredLine line_of(std::int64_t source_len, std::int64_t target_len, bool right, double nll) {
  return {.source_len = source_len,
          .target_len = target_len,
          .translation = right ? "a b c d e" : "v w x y z",
          .reference = "a b c d e",
          .nll = nll,
          .pieces = 2};
}

}  // namespace

TEST_CASE("lines are put into buckets by the length of their source", "[unit]") {
  const std::vector lines = {line_of(8, 30, true, 1.0), line_of(9, 1, false, 3.0),
                             line_of(17, 1, true, 5.0)};
  const auto buckets = length_buckets(lines, std::array<std::int64_t, 3>{8, 12, 16});
  REQUIRE(buckets.size() == 4);
  CHECK(buckets[0].sentences == 1);
  CHECK(buckets[0].bleu == test::Approx(100.0));
  CHECK(buckets[1].first == 9);
  CHECK(buckets[1].nll == test::Approx(1.5));
  CHECK(buckets[2].sentences == 0);
  CHECK(buckets[3].last == 0);
  CHECK(buckets[3].nll == test::Approx(2.5));
}

TEST_CASE("a pair is beyond the trained lengths if either side is", "[unit]") {
  const auto record =
      record_of_sides(std::vector{line_of(16, 16, true, 1.0), line_of(16, 17, false, 3.0),
                                  line_of(17, 16, false, 5.0)},
                      16);
  CHECK(record.values.at("bleu_within") == test::Approx(100.0));
  CHECK(record.values.at("nll_within") == test::Approx(0.5));
  CHECK(record.values.at("bleu_beyond") == test::Approx(0.0));
  CHECK(record.values.at("nll_beyond") == test::Approx(2.0));
}

TEST_CASE("BLEU by length splits the lines as it is told", "[unit]") {
  auto line = line_of(8, 8, false, 1.0);
  line.translation = "abcdefgh i";
  line.reference = "abcdefgh j";
  const std::vector lines = {line};
  const auto limits = std::array<std::int64_t, 1>{8};
  const auto character = BleuTokenizer::character;
  const double by_words = length_buckets(lines, limits)[0].bleu;
  const double by_characters = length_buckets(lines, limits, character)[0].bleu;
  CHECK(by_characters > by_words + 10.0);
  CHECK(record_of_sides(lines, 16).values.at("bleu_within") == by_words);
  CHECK(record_of_sides(lines, 16, character).values.at("bleu_within") == by_characters);
}

TEST_CASE("each side has the measures without each group of its lines, a side without lines none",
          "[unit]") {
  std::vector<ScoredLine> lines;
  for (int i = 0; i < 40; ++i) lines.push_back(line_of(4, 4, i % 3 == 0, i));
  const auto record = record_of_sides(lines, 16);
  for (const char* name : {"bleu_within", "nll_within"}) {
    CAPTURE(name);
    REQUIRE(record.jackknife.at(name).size() == jackknife_groups);
    CHECK(jackknife_error(record.jackknife.at(name)).variance > 0.0);
  }
  CHECK_FALSE(record.values.contains("nll_beyond"));
  CHECK_FALSE(record.jackknife.contains("nll_beyond"));
}

}  // namespace scored_lines_test
