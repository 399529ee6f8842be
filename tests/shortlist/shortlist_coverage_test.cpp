#include "dragoman/shortlist/shortlist_coverage.h"

#include "support/catch.h"

namespace shortlist_coverage_test {

using namespace dragoman;

TEST_CASE("coverage counts the reference's pieces that a sentence's shortlist contains", "[unit]") {
  const auto shortlist =
      make_shortlist({.sizes = {.source = 10, .target = 20}}, {{4, 10, 1.0F}, {5, 11, 1.0F}});
  const std::vector<Example> pairs = {{.source_ids = {4, 3}, .target_ids = {10, 11, 3}},
                                      {.source_ids = {4, 5, 3}, .target_ids = {10, 11, 3}}};
  const auto coverage = coverage_of(shortlist, pairs);
  CHECK(coverage.pairs == 2);
  CHECK(coverage.target_pieces == 4);
  CHECK(coverage.covered == 3);
  CHECK(coverage.complete == 1);
  CHECK(coverage.allowed == 3 + 4);
  CHECK(
      coverage.text(20) ==
      "75.00 % of 4 target pieces, all pieces of 50.0 % of 2 sentences, and allows 4 of 20 pieces "
      "per sentence");
}

TEST_CASE("the coverage of a single sentence is told in the singular", "[unit]") {
  CHECK_THAT(ShortlistCoverage{.pairs = 1}.text(20), test::contains("of 1 sentence, and allows"));
}

}  // namespace shortlist_coverage_test
