#include "dragoman/search/forced_prefix.h"

#include "dragoman/search/search.h"
#include "search/table_scorer.h"
#include "support/catch.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace forced_prefix_test {

namespace {

using dragoman::Hypothesis;
using dragoman::run_search;
using dragoman::SearchOptions;
using Ids = std::vector<std::int32_t>;

constexpr std::int64_t forced_tokens = 8;

std::vector<std::vector<Hypothesis>> search_behind(const at::Tensor& table,
                                                   const SearchOptions& options,
                                                   const std::vector<std::int64_t>& limits,
                                                   const std::vector<Ids>& prefixes) {
  test::TableScorer scorer(table.clone(), std::ssize(limits), test::table_bos);
  std::vector<std::uint64_t> streams(limits.size());
  for (std::size_t i = 0; i < streams.size(); ++i)
    streams[i] = limits[i] * 100 + prefixes[i].size();
  return run_search(scorer, {.max_lengths = limits, .prefixes = prefixes, .streams = streams},
                    options);
}

double log_prob_of(const at::Tensor& table, const Ids& ids) {
  double sum = 0.0;
  std::int64_t before = test::table_bos, last = test::table_bos;
  for (const auto id : ids) {
    sum += table[before][last][id].item<double>();
    before = last;
    last = id;
  }
  return sum;
}

bool begins_with(const Ids& ids, const Ids& prefix) {
  return ids.size() > prefix.size() && std::equal(prefix.begin(), prefix.end(), ids.begin());
}

std::vector<SearchOptions> all_searches() {
  std::vector<SearchOptions> searches(3);
  searches[0].n_best = 4;
  searches[1].greedy = true;
  searches[2].sample = true;
  searches[2].n_best = 3;
  return searches;
}

}  // namespace

TEST_CASE("every search continues after the prefix, whose log-probability counts", "[property]") {
  const auto table = test::random_table(forced_tokens, 1);
  const Ids prefix{7, 4, 7, 5};
  for (const auto& options : all_searches()) {
    CAPTURE(options.greedy, options.sample);
    const auto found = search_behind(table, options, {12}, {prefix});
    for (const auto& hypothesis : found[0]) {
      CHECK(begins_with(hypothesis.ids, prefix));
      CHECK(hypothesis.log_prob == test::Approx(log_prob_of(table, hypothesis.ids)).epsilon(1e-12));
    }
  }
}

TEST_CASE("a wide beam after a prefix finds the best of all sequences that begin with it",
          "[property]") {
  const auto table = test::random_table(forced_tokens, 2);
  const Ids prefix{6, 6};
  Hypothesis best{{}, -1e9, -1e9, false};
  const auto visit = [&](auto& self, const Ids& ids) -> void {
    for (std::int32_t token = 3; token < forced_tokens; ++token) {
      auto longer = ids;
      longer.push_back(token);
      if (token == test::table_eos) {
        const double log_prob = log_prob_of(table, longer);
        const double score =
            log_prob / std::pow((5.0 + static_cast<double>(longer.size())) / 6.0, 0.6);
        if (score > best.score) best = {longer, log_prob, score, true};
      } else if (longer.size() < 6) {
        self(self, longer);
      }
    }
  };
  visit(visit, prefix);
  SearchOptions wide;
  wide.beam_size = 1000;
  const auto found = search_behind(table, wide, {6}, {prefix})[0][0];
  CHECK(found.ids == best.ids);
  CHECK(found.score == test::Approx(best.score).epsilon(1e-12));
  CHECK_FALSE(begins_with(search_behind(table, wide, {6}, {Ids{}})[0][0].ids, prefix));
}

TEST_CASE("forcing a prefix of the unconstrained result changes nothing", "[property]") {
  const auto table = test::random_table(forced_tokens, 3);
  const SearchOptions greedy = all_searches()[1];
  const auto free = search_behind(table, greedy, {12}, {Ids{}})[0][0];
  REQUIRE(free.ids.size() > 3);
  const auto forced =
      search_behind(table, greedy, {12}, {Ids(free.ids.begin(), free.ids.begin() + 3)})[0][0];
  CHECK(forced.ids == free.ids);
  CHECK(forced.log_prob == free.log_prob);
}

TEST_CASE("sentences with prefixes of different lengths get the same results as alone",
          "[property]") {
  const auto table = test::random_table(forced_tokens, 4);
  const std::vector<std::int64_t> limits{9, 5, 9, 7, 3};
  const std::vector<Ids> prefixes{{}, {5, 6, 7, 4}, {4}, {}, {7, 7}};
  for (const auto& options : all_searches()) {
    CAPTURE(options.greedy, options.sample);
    const auto together = search_behind(table, options, limits, prefixes);
    for (std::size_t i = 0; i < limits.size(); ++i) {
      CAPTURE(i);
      const auto alone = search_behind(table, options, {limits[i]}, {prefixes[i]})[0];
      REQUIRE(together[i].size() == alone.size());
      for (std::size_t k = 0; k < alone.size(); ++k) {
        CHECK(together[i][k].ids == alone[k].ids);
        CHECK(together[i][k].score == alone[k].score);
      }
    }
  }
}

TEST_CASE("a prefix may repeat n-grams, its continuation may not", "[unit]") {
  const auto table = test::random_table(forced_tokens, 5);
  SearchOptions options;
  options.no_repeat_ngram = 1;
  const Ids prefix{4, 4, 5};
  const auto ids = search_behind(table, options, {8}, {prefix})[0][0].ids;
  CHECK(begins_with(ids, prefix));
  for (std::size_t i = 3; i < ids.size(); ++i)
    CHECK(std::count(ids.begin(), ids.end(), ids[i]) == 1);
}

}  // namespace forced_prefix_test
