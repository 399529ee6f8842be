#include "dragoman/search/search.h"

#include "search/table_scorer.h"
#include "support/catch.h"

#include <ATen/ATen.h>

namespace forced_end_test {

using namespace dragoman;

namespace {

/// Random tables in which EOS is rare, so that searches reach their limits.
at::Tensor table_of(std::uint64_t seed) {
  at::manual_seed(seed);
  auto logits = at::randn({9, 9, 9}, at::kDouble);
  logits.select(2, test::table_eos).sub_(8.0);
  return logits.log_softmax(-1);
}

std::vector<std::vector<Hypothesis>> found_with(const SearchOptions& options,
                                                const SearchBatch& batch) {
  test::TableScorer scorer(table_of(7), std::ssize(batch.max_lengths), test::table_bos);
  return run_search(scorer, batch, options);
}

const std::vector<std::int64_t> limits{5, 1, 3};

}  // namespace

TEST_CASE("with force_eos every hypothesis ends, at no cost at the length limit", "[property]") {
  for (const bool greedy : {true, false}) {
    CAPTURE(greedy);
    const SearchOptions free{.length_penalty = 0.0, .greedy = greedy};
    auto forced = free;
    forced.force_eos = true;
    const auto found = found_with(forced, {.max_lengths = limits});
    for (std::size_t i = 0; i < limits.size(); ++i) {
      REQUIRE(found[i][0].finished);
      CHECK(found[i][0].ids.back() == test::table_eos);
      CHECK(std::ssize(found[i][0].ids) <= limits[i]);
    }
    CHECK(found[1][0].ids == std::vector<std::int32_t>{test::table_eos});
    CHECK(found[1][0].log_prob == 0.0);
    if (!greedy) continue;  // a beam's best may end earlier
    // One token fewer, searched freely, and then the end.
    const auto shorter = found_with(free, {.max_lengths = std::vector<std::int64_t>{4}});
    auto expected = shorter[0][0].ids;
    expected.push_back(test::table_eos);
    CHECK(found[0][0].ids == expected);
    CHECK(found[0][0].log_prob == test::Approx(shorter[0][0].log_prob).epsilon(1e-12));
  }
}

TEST_CASE("free tokens of a prefix are taken without their cost", "[property]") {
  const std::vector<std::vector<std::int32_t>> prefixes(3, {5, 6});
  for (const bool greedy : {true, false}) {
    const SearchOptions options{.length_penalty = 0.0, .greedy = greedy};
    const std::vector<std::int64_t> long_limits(3, 6);
    const auto scored = found_with(options, {.max_lengths = long_limits, .prefixes = prefixes});
    const auto first_free =
        found_with(options, {.max_lengths = long_limits, .prefixes = prefixes, .free_tokens = 1});
    const double cost = table_of(7)[test::table_bos][test::table_bos][5].item<double>();
    CHECK(first_free[0][0].ids == scored[0][0].ids);
    CHECK(first_free[0][0].log_prob == test::Approx(scored[0][0].log_prob - cost).epsilon(1e-12));
  }
}

TEST_CASE("renormalised hypotheses have the probabilities of models without the forbidden tokens",
          "[property]") {
  auto without = table_of(7);
  for (const auto token : {std::int64_t{0}, std::int64_t{1}, test::table_bos})
    without.select(2, token).fill_(-1e300);
  without = without.log_softmax(-1);
  const SearchOptions options{.n_best = 4};
  auto renormalised = options;
  renormalised.renormalize = true;
  test::TableScorer scorer(without, 3, test::table_bos);
  const auto expected = run_search(scorer, {.max_lengths = limits}, options);
  const auto found = found_with(renormalised, {.max_lengths = limits});
  for (std::size_t i = 0; i < limits.size(); ++i) {
    REQUIRE(found[i].size() == expected[i].size());
    for (std::size_t k = 0; k < found[i].size(); ++k) {
      CHECK(found[i][k].ids == expected[i][k].ids);
      CHECK(found[i][k].score == test::Approx(expected[i][k].score).epsilon(1e-9));
    }
  }
}

}  // namespace forced_end_test
