#include "dragoman/metrics/significance.h"

#include "dragoman/core/error.h"
#include "dragoman/metrics/scoring.h"
#include "support/catch.h"

#include <sstream>

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

/// A reference and two systems that replace words of it, drawn by a linear congruential generator.
class NoisyTexts {
 public:
  std::vector<std::string> reference, baseline, system;

  explicit NoisyTexts(int lines) {
    for (int i = 0; i < lines; ++i) {
      std::vector<std::string> original(3 + below(9));
      for (auto& word : original) word = random_word();
      reference.push_back(joined(original));
      baseline.push_back(joined(with_noise(original, 5)));
      system.push_back(joined(with_noise(original, 4)));
    }
  }

 private:
  std::uint32_t below(std::uint32_t count) {
    state_ = state_ * 1664525U + 1013904223U;
    return (state_ >> 16U) % count;
  }

  std::string random_word() {
    std::istringstream words("ein Mann mit Hut steht am Ufer und sieht einem Hund beim Baden zu");
    std::string word;
    for (auto left = below(14) + 1; left > 0; --left) words >> word;
    return word;
  }

  std::vector<std::string> with_noise(std::vector<std::string> words, std::uint32_t one_in) {
    for (auto& word : words)
      if (below(one_in) == 0) word = random_word();
    return words;
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string line;
    for (const auto& word : words) line += (line.empty() ? "" : " ") + word;
    return line;
  }

  std::uint32_t state_ = 1;
};

/// Means of the bootstrap scores.
struct Means {
  std::string metric;
  double baseline, system;
};

void check_means(const ScoringOptions& options, const std::vector<Means>& expected) {
  const NoisyTexts texts(50);
  const auto results = score_corpus(
      texts.system, {{texts.reference.begin(), texts.reference.end()}}, options, texts.baseline);
  REQUIRE(results.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(expected[i].metric);
    CHECK(results[i].report.interval.value().mean == expected[i].system);
    CHECK(results[i].against.value().interval.value().mean == expected[i].baseline);
  }
}

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

TEST_CASE("means of a paired test have the last digit of sacreBLEU 2.6.0", "[golden]") {
  ScoringOptions options{.metrics = {"chrf", "chrf++", "ter"}, .confidence = true};
  check_means(options, {{"chrf", 77.81903076171875, 70.64985656738281},
                        {"chrf++", 78.04624938964844, 70.69841003417969},
                        {"ter", 14.87667179107666, 21.88322639465332}});
  options.paired = PairedTest::randomization;
  options.resampling.trials = 200;
  check_means(options, {{"chrf", 77.81903076171875, 70.65534210205078},
                        {"chrf++", 78.04624938964844, 70.7039566040039},
                        {"ter", 14.87667179107666, 21.876964569091797}});
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
  CHECK_THROWS_AS(bootstrap_interval(Ter(), with_edits({1}), {.samples = most_samples + 1}),
                  OptionsError);
}

}  // namespace significance_test
