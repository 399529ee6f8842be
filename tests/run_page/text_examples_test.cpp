#include "dragoman/run_page/text_examples.h"

#include "support/catch.h"

namespace text_examples_test {

using namespace dragoman;

namespace {

std::vector<std::size_t> lines_of(const std::vector<RankedLine>& chosen) {
  std::vector<std::size_t> lines;
  for (const auto& one : chosen) lines.push_back(one.line);
  return lines;
}

const std::vector<double> scores = {50.0, 10.0, 90.0, 10.0, 70.0};
const std::vector<std::size_t> all = {0, 1, 2, 3, 4};

}  // namespace

TEST_CASE("three examples are the worst, the median and the best line", "[unit]") {
  const auto chosen = evenly_ranked(scores, all, 3);
  CHECK(lines_of(chosen) == std::vector<std::size_t>{1, 0, 2});
  CHECK(chosen[1].rank == 2);
}

TEST_CASE("a single example is the median, and more than all lines are all of them", "[unit]") {
  CHECK(lines_of(evenly_ranked(scores, all, 1)) == std::vector<std::size_t>{0});
  CHECK(lines_of(evenly_ranked(scores, all, 99)) == std::vector<std::size_t>{1, 3, 0, 4, 2});
  CHECK(evenly_ranked(scores, all, 0).empty());
  CHECK(evenly_ranked(scores, {}, 3).empty());
}

TEST_CASE("examples are chosen among the given lines only", "[unit]") {
  CHECK(lines_of(evenly_ranked(scores, {0, 3, 4}, 2)) == std::vector<std::size_t>{3, 4});
}

}  // namespace text_examples_test
