#include "dragoman/metrics/significance.h"

#include "dragoman/core/error.h"
#include "dragoman/metrics/ter.h"
#include "support/catch.h"

namespace significance_test {

using namespace dragoman;

namespace {

/// Segments of ten words each with the given edits.
SegmentStatistics with_edits(const std::vector<int>& edits) {
  SegmentStatistics statistics(2, 1);
  for (const int count : edits)
    statistics.add(std::vector<double>{static_cast<double>(count), 10.0});
  return statistics;
}

std::vector<int> repeated(int value) { return std::vector<int>(40, value); }

}  // namespace

TEST_CASE("segments that are all alike have an interval of no width", "[unit]") {
  const auto interval = bootstrap_interval(Ter(), with_edits(repeated(3)));
  CHECK(interval.mean == test::Approx(30.0));
  CHECK(interval.half_width == 0.0);
}

TEST_CASE("a clear difference is significant by both tests", "[unit]") {
  const auto worse = with_edits(repeated(5));
  const auto better = with_edits(repeated(3));
  CHECK(paired_randomization(Ter(), worse, better, {.trials = 200}).p_value ==
        test::Approx(1.0 / 201));
  CHECK(paired_bootstrap(Ter(), worse, better, {.samples = 100}).p_value ==
        test::Approx(1.0 / 101));
}

TEST_CASE("differences that cancel out are not significant", "[unit]") {
  std::vector<int> first;
  std::vector<int> second;
  for (int i = 0; i < 40; ++i) {
    first.push_back(i % 2 == 0 ? 1 : 5);
    second.push_back(i % 2 == 0 ? 5 : 1);
  }
  second.back() = 2;
  const auto a = with_edits(first);
  const auto b = with_edits(second);
  CHECK(paired_randomization(Ter(), a, b, {.trials = 500}).p_value > 0.5);
  CHECK(paired_bootstrap(Ter(), a, b, {.samples = 500}).p_value > 0.3);
}

TEST_CASE("randomization estimates intervals only if asked to", "[unit]") {
  const auto a = with_edits(repeated(5));
  CHECK_FALSE(paired_randomization(Ter(), a, a, {.trials = 10}).system.has_value());
  const auto result = paired_randomization(Ter(), a, a, {.trials = 10}, WithIntervals::yes);
  REQUIRE(result.system.has_value());
  CHECK(result.system->mean == test::Approx(50.0));
  CHECK(result.baseline->mean == test::Approx(50.0));
}

TEST_CASE("the seed decides the samples", "[property]") {
  std::vector<int> edits;
  for (int i = 0; i < 40; ++i) edits.push_back(i % 7);
  const auto statistics = with_edits(edits);
  const auto mean = [&](std::uint64_t seed) {
    return bootstrap_interval(Ter(), statistics, {.samples = 50, .seed = seed}).mean;
  };
  CHECK(mean(1) == mean(1));
  CHECK(mean(1) != mean(2));
}

TEST_CASE("systems of different length cannot be compared", "[unit]") {
  CHECK_THROWS_WITH(paired_bootstrap(Ter(), with_edits({1, 2}), with_edits({1})),
                    test::contains("2 lines of the baseline against 1 of the system"));
  CHECK_THROWS_AS(bootstrap_interval(Ter(), with_edits({1}), {.samples = 0}), OptionsError);
}

}  // namespace significance_test
