#include "dragoman/analysis/attention_erasure.h"

#include "analysis/small_run.h"

#include <cmath>

namespace attention_erasure_test {

using namespace dragoman;

TEST_CASE("rank correlation depends on order only and averages the ranks of ties", "[unit]") {
  const std::vector<double> a = {0.1, 0.2, 0.9, 0.3};
  CHECK(rank_correlation(a, std::vector<double>{1, 2, 4, 3}) == test::Approx(1.0));
  CHECK(rank_correlation(a, std::vector<double>{-1, -2, -40, -3}) == test::Approx(-1.0));
  CHECK(rank_correlation(a, std::vector<double>{5, 5, 5, 5}) == 0.0);
  // Ranks 0, 1.5, 1.5, 3 against 0, 1, 3, 2.
  CHECK(rank_correlation(std::vector<double>{1, 2, 2, 3}, std::vector<double>{1, 2, 9, 4}) ==
        test::Approx((2.25 + 0.0 + 0.0 + 0.75) / std::sqrt(4.5 * 5.0)));
}

TEST_CASE("the erasure test counts sentences that are long enough and is determined by its seed",
          "[unit]") {
  const auto run = test::small_run();
  const std::vector<LinePair> pairs = {{"a b d e", "b d e"}, {"", "a"}, {"d e f g h", "a b"}};
  const auto first = test_erasure(run, pairs, 1);
  CHECK(first.sentences == 2);
  CHECK(std::abs(first.rank_correlation) <= 1.0);
  CHECK(first.drop_random == test_erasure(run, pairs, 1).drop_random);
}

TEST_CASE("the encoder of the erasure test sees its global tokens", "[unit]") {
  const auto run =
      test::small_run({.kind = AttentionKind::longformer, .radius = 1, .global_tokens = {5}});
  const std::vector<LinePair> pairs = {{"a b d e", "b d e"}};
  const auto report = test_erasure(run, pairs, 1);
  CHECK(report.sentences == 1);
  CHECK(std::isfinite(report.drop_random));
}

TEST_CASE("every piece counts where sources do not end with EOS", "[unit]") {
  auto run = test::small_run();
  const std::vector<LinePair> pairs = {{"a b", "b d e"}};
  REQUIRE(run.vocabulary.source.encode("a b").size() == 3);
  run.vocabulary.source = test::without_source_eos(run.vocabulary.source);
  CHECK(test_erasure(run, pairs, 1).sentences == 1);
}

}  // namespace attention_erasure_test
