#include "dragoman/search/beam_search.h"

#include "dragoman/search/search.h"
#include "search/golden_search.h"
#include "search/table_scorer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace beam_search_test {

namespace {

using dragoman::beam_search;
using dragoman::Hypothesis;
using dragoman::SearchOptions;
using dragoman::SpecialIds;

constexpr std::int64_t bos = 2, eos = 3;

std::vector<Hypothesis> search_table(const at::Tensor& table, const SearchOptions& options,
                                     std::int64_t max_length, const SpecialIds& special = {}) {
  test::TableScorer scorer(table, 1, special.bos);
  return beam_search(scorer, {.max_lengths = std::vector{max_length}, .special = special},
                     options)[0];
}

/// Calls with each golden search.
template <typename Check>
void for_golden_searches(const Check& check) {
  for (const auto& name : test::golden_names("beam_search")) {
    CAPTURE(name);
    check(test::golden_case(name));
  }
}

/// Searches a golden table, whose sizes and special ids the case states.
std::vector<Hypothesis> search_golden_table(const nlohmann::json& golden,
                                            const SearchOptions& options, std::int64_t max_length) {
  return search_table(test::golden_tensor(golden.at("inputs").at("log_probs")), options, max_length,
                      test::special_ids(golden.at("params")));
}

/// A beam that drops nothing: candidates are as many as all sequences of `max_length` tokens other
/// than EOS, times 2 at most.
std::int64_t exhaustive_beam(const nlohmann::json& golden, std::int64_t max_length) {
  const auto table = test::golden_tensor(golden.at("inputs").at("log_probs"));
  const auto possible = (table > -1e8).any(0).any(0).sum().item<std::int64_t>() - 1;
  return static_cast<std::int64_t>(
      std::pow(static_cast<double>(possible), static_cast<double>(max_length)));
}

/// All sequences that end with EOS within `max_length` tokens, by score.
void enumerate(const at::Tensor& table, const SearchOptions& options, std::int64_t max_length,
               const Hypothesis& prefix, std::vector<Hypothesis>& all) {
  const auto n = prefix.ids.size();
  const auto last = n > 0 ? prefix.ids[n - 1] : bos, before = n > 1 ? prefix.ids[n - 2] : bos;
  for (std::int32_t token = 3; token < table.size(2); ++token) {
    Hypothesis longer = prefix;
    longer.ids.push_back(token);
    longer.log_prob += table[before][last][token].item<double>();
    if (token == eos) {
      longer.score = longer.log_prob /
                     std::pow((5.0 + static_cast<double>(n) + 1.0) / 6.0, options.length_penalty);
      all.push_back(longer);
    } else if (std::ssize(longer.ids) < max_length) {
      enumerate(table, options, max_length, longer, all);
    }
  }
}

}  // namespace

TEST_CASE("beam search over a second-order table has the golden results", "[golden]") {
  for_golden_searches([](const nlohmann::json& golden) {
    const std::int64_t max_length = golden.at("params").at("max_len");
    for (const auto& run : test::golden_list(golden, "runs")) {
      CAPTURE(run.at("beam").get<int>(), run.at("alpha").get<double>(),
              run.at("penalty").get<std::string>());
      test::check_n_best(search_golden_table(golden, test::search_options(run), max_length),
                         run.at("nbest"), 1e-9);
    }
  });
}

TEST_CASE("a greedy search has the golden greedy result", "[golden]") {
  for_golden_searches([](const nlohmann::json& golden) {
    auto options = test::search_options(
        {{"beam", 1}, {"alpha", 0.0}, {"penalty", dragoman::LengthPenaltyKind::gnmt}});
    options.greedy = true;
    const auto found = search_golden_table(golden, options, golden.at("params").at("max_len"));
    CHECK(found.front().ids == golden.at("greedy").get<std::vector<std::int32_t>>());
  });
}

TEST_CASE("hypotheses stopped by the length limit are marked as in the golden results",
          "[golden]") {
  int runs = 0;
  for_golden_searches([&runs](const nlohmann::json& golden) {
    for (const auto& [field, run] : golden.items()) {
      if (!field.starts_with("max_len_")) continue;
      ++runs;
      CAPTURE(field);
      test::check_n_best(search_golden_table(golden, test::search_options(run), run.at("max_len")),
                         run.at("nbest"), 1e-9);
    }
  });
  CHECK(runs > 0);
}

TEST_CASE("a wide beam finds the golden best of all sequences", "[golden]") {
  int settings = 0;
  for_golden_searches([&settings](const nlohmann::json& golden) {
    const std::int64_t max_length = golden.at("params").at("max_len");
    for (const auto& [field, list] : golden.items()) {
      if (!field.starts_with("exhaustive_top")) continue;
      for (auto run : list) {
        ++settings;
        run["beam"] = exhaustive_beam(golden, max_length);
        auto options = test::search_options(run);
        options.n_best = std::ssize(run.at("top"));
        CAPTURE(run.at("alpha").get<double>(), run.at("penalty").get<std::string>());
        for (auto& hypothesis : run.at("top")) hypothesis["finished"] = true;
        test::check_n_best(search_golden_table(golden, options, max_length), run.at("top"), 1e-9);
      }
    }
  });
  CHECK(settings > 0);
}

TEST_CASE("a wide beam is an exhaustive search", "[property]") {
  for (std::int64_t seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    const auto table = test::random_table(7, seed);
    const SearchOptions options{.beam_size = 700, .n_best = 10};
    std::vector<Hypothesis> all;
    enumerate(table, options, 5, {}, all);
    std::ranges::sort(all, std::greater<>(), &Hypothesis::score);
    const auto found = search_table(table, options, 5);
    REQUIRE(found.size() == 10);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      CHECK(found[i].ids == all[i].ids);
      CHECK(found[i].score == test::Approx(all[i].score).epsilon(1e-12));
    }
  }
}

TEST_CASE("requesting fewer hypotheses ends the search earlier with the same ones", "[property]") {
  std::int64_t steps_for_one = 0, steps_for_all = 0;
  for (std::int64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    const auto table = test::random_table(9, seed);
    test::TableScorer for_one(table, 1, bos), for_all(table, 1, bos);
    const auto one = beam_search(for_one, {.max_lengths = std::vector<std::int64_t>{40}},
                                 {.beam_size = 4, .n_best = 1});
    const auto all = beam_search(for_all, {.max_lengths = std::vector<std::int64_t>{40}},
                                 {.beam_size = 4, .n_best = 4});
    CHECK(one[0][0].ids == all[0][0].ids);
    CHECK(one[0][0].score == all[0][0].score);
    steps_for_one += for_one.steps;
    steps_for_all += for_all.steps;
  }
  CHECK(steps_for_one < steps_for_all);
}

TEST_CASE("finished sentences leave the batch", "[unit]") {
  const auto table = test::random_table(7, 1);
  test::TableScorer scorer(table, 2, bos);
  const auto found =
      beam_search(scorer, {.max_lengths = std::vector<std::int64_t>{1, 12}}, {.beam_size = 2});
  CHECK(found[0][0].ids.size() == 1);
  CHECK(scorer.dropped_to == 1);
  CHECK(scorer.steps == 3);
  CHECK(scorer.rows == 2 + 1 + 1);  // one sentence, and one hypothesis of it that may still win
}

TEST_CASE("the beam narrows to the hypotheses that may still win", "[property]") {
  std::int64_t rows = 0, full = 0;
  for (std::int64_t seed = 0; seed < 30; ++seed) {
    test::TableScorer scorer(test::random_table(9, seed), 1, bos);
    beam_search(scorer, {.max_lengths = std::vector<std::int64_t>{40}},
                {.beam_size = 4, .n_best = 1});
    rows += scorer.rows;
    full += 1 + 4 * (scorer.steps - 1);
  }
  CHECK(rows < full);
}

TEST_CASE("sentences with individual limits get the same results as alone", "[property]") {
  const auto table = test::random_table(8, 3);
  const std::vector<std::int64_t> limits{1, 2, 3, 5, 8, 13};
  test::TableScorer scorer(table, std::ssize(limits), bos);
  const SearchOptions options{.beam_size = 3, .n_best = 3};
  const auto together = beam_search(scorer, {.max_lengths = limits}, options);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    CAPTURE(i);
    const auto alone = search_table(table, options, limits[i]);
    REQUIRE(together[i].size() == alone.size());
    for (std::size_t k = 0; k < alone.size(); ++k) {
      CHECK(together[i][k].ids == alone[k].ids);
      CHECK(together[i][k].score == alone[k].score);
    }
  }
}

TEST_CASE("ties are broken by smaller beam, then smaller token", "[unit]") {
  auto table = at::full({7, 7, 7}, -1e9, at::kDouble);
  table.narrow(2, 3, 4).fill_(std::log(0.25));
  const auto found = search_table(table, {.beam_size = 3, .length_penalty = 0.0, .n_best = 3}, 3);
  CHECK(found[0].ids == std::vector<std::int32_t>{3});
  CHECK(found[1].ids == std::vector<std::int32_t>{4, 3});
  CHECK(found[2].ids == std::vector<std::int32_t>{5, 3});
}

TEST_CASE("padding and BOS are never generated, however likely", "[unit]") {
  auto table = test::random_table(7, 5);
  table.select(2, 0).fill_(5.0);
  table.select(2, bos).fill_(4.0);
  for (const auto& hypothesis : search_table(table, {.beam_size = 5, .n_best = 5}, 6))
    for (const auto id : hypothesis.ids) CHECK((id != 0 && id != bos));
}

TEST_CASE("no n-gram is repeated if no_repeat_ngram is set", "[unit]") {
  auto table = at::full({7, 7, 7}, -20.0, at::kDouble);
  table.select(2, eos).fill_(-1e9);
  table.select(2, 4).fill_(-0.1);
  table.select(2, 5).fill_(-1.0);
  const SearchOptions free{.beam_size = 2};
  SearchOptions once = free;
  once.no_repeat_ngram = 2;
  CHECK(search_table(table.clone(), free, 6)[0].ids == std::vector<std::int32_t>{4, 4, 4, 4, 4, 4});
  const auto ids = search_table(table.clone(), once, 6)[0].ids;
  for (std::size_t i = 0; i + 1 < ids.size(); ++i)
    for (std::size_t j = i + 1; j + 1 < ids.size(); ++j)
      CHECK_FALSE((ids[i] == ids[j] && ids[i + 1] == ids[j + 1]));
}

TEST_CASE("an output that is not finite is refused", "[unit]") {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto table = test::random_table(7, 1);
    table[bos][bos][5] = bad;
    CHECK_THROWS_WITH(search_table(table, {}, 3), test::contains("NaN or infinite"));
    CHECK_THROWS_WITH(search_table(table.to(at::kFloat), {}, 3), test::contains("NaN or infinite"));
  }
}

TEST_CASE("the unknown piece is generated only if it is kept", "[unit]") {
  at::manual_seed(5);
  auto table = at::randn({8, 8, 8}, at::kDouble);
  table.select(2, SpecialIds{}.unk).add_(4.0);
  table = table.log_softmax(-1);
  const auto unknowns = [&](SearchOptions options, dragoman::UnknownRule rule) {
    options.unknown = rule;
    options.n_best = 2;
    test::TableScorer scorer(table, 1, bos);
    const std::vector<std::int64_t> max_lengths = {12};
    const std::vector<std::uint64_t> streams = {1};
    std::ptrdiff_t count = 0;
    const auto found =
        dragoman::run_search(scorer, {.max_lengths = max_lengths, .streams = streams}, options);
    for (const auto& hypothesis : found.front())
      count += std::ranges::count(hypothesis.ids, SpecialIds{}.unk);
    return count;
  };
  const std::vector<SearchOptions> searches = {{}, {.greedy = true}, {.sample = true}};
  for (const auto& options : searches) {
    CAPTURE(options.greedy, options.sample);
    CHECK(unknowns(options, dragoman::UnknownRule::forbid) == 0);
    CHECK(unknowns(options, dragoman::UnknownRule::keep) > 2);
    CHECK(unknowns(options, dragoman::UnknownRule::copy) > 2);
  }
}

}  // namespace beam_search_test
