#include "dragoman/search/path_search.h"

#include "search/golden_search.h"
#include "search/table_scorer.h"

#include <ATen/ATen.h>

#include <utility>

namespace greedy_search_test {

namespace {

using dragoman::greedy_search;
using dragoman::SearchOptions;

constexpr std::int64_t bos = 2;

/// The most probable token after each other, until EOS or the limit.
std::vector<std::int32_t> most_probable_tokens(const at::Tensor& table, std::int64_t max_length,
                                               const dragoman::SpecialIds& special) {
  std::vector<std::int32_t> ids;
  for (auto before = special.bos, last = special.bos;
       std::ssize(ids) < max_length && (ids.empty() || ids.back() != special.eos);) {
    ids.push_back(static_cast<std::int32_t>(table[before][last].argmax().item<std::int64_t>()));
    before = std::exchange(last, ids.back());
  }
  return ids;
}

}  // namespace

TEST_CASE("greedy search takes the most probable tokens of a golden table", "[golden]") {
  for (const auto& name : test::golden_names("beam_search")) {
    CAPTURE(name);
    const auto& golden = test::golden_case(name);
    const auto& params = golden.at("params");
    const auto special = test::special_ids(params);
    const auto table = test::golden_tensor(golden.at("inputs").at("log_probs"));
    test::TableScorer scorer(table, 1, special.bos);
    const std::vector<std::int64_t> limits{params.at("max_len")};
    const auto found = greedy_search(scorer, {.max_lengths = limits, .special = special},
                                     {.unknown = dragoman::UnknownRule::keep})[0];
    const auto expected = most_probable_tokens(table, limits[0], special);
    CHECK(found[0].ids == expected);
    CHECK(found[0].finished == (expected.back() == special.eos));
  }
}

TEST_CASE("greedy search stops each sentence at its own limit", "[unit]") {
  auto table = at::full({7, 7, 7}, -5.0, at::kDouble);
  table.select(2, 4).fill_(-0.1);
  test::TableScorer scorer(table, 3, bos);
  const auto found = greedy_search(scorer, {.max_lengths = std::vector<std::int64_t>{3, 1, 2}}, {});
  CHECK(found[0][0].ids == std::vector<std::int32_t>{4, 4, 4});
  CHECK(found[1][0].ids == std::vector<std::int32_t>{4});
  CHECK(found[2][0].ids == std::vector<std::int32_t>{4, 4});
  CHECK_FALSE(found[0][0].finished);
  CHECK(scorer.rows == 3 + 2 + 1);
}

TEST_CASE("a greedy hypothesis' log-probability is the sum of its steps", "[unit]") {
  at::manual_seed(1);
  const auto table = at::randn({7, 7, 7}, at::kDouble).log_softmax(-1);
  test::TableScorer scorer(table.clone(), 1, bos);
  const auto found = greedy_search(scorer, {.max_lengths = std::vector<std::int64_t>{6}}, {})[0][0];
  double sum = 0.0;
  std::int64_t before = bos, last = bos;
  for (const auto id : found.ids) {
    sum += table[before][last][id].item<double>();
    before = last;
    last = id;
  }
  CHECK(found.log_prob == test::Approx(sum).epsilon(1e-12));
}

TEST_CASE("greedy search repeats no n-gram if no_repeat_ngram is set", "[unit]") {
  auto table = at::full({7, 7, 7}, -5.0, at::kDouble);
  table.select(2, 4).fill_(-0.1);
  table.select(2, 5).fill_(-0.2);
  test::TableScorer scorer(table, 1, bos);
  const auto found =
      greedy_search(scorer, {.max_lengths = std::vector<std::int64_t>{4}}, {.no_repeat_ngram = 2});
  CHECK(found[0][0].ids == std::vector<std::int32_t>{4, 4, 5, 4});
}

}  // namespace greedy_search_test
