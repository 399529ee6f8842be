#include "dragoman/decoding/device_ranking.h"

#include "dragoman/core/error.h"
#include "dragoman/search/ensemble.h"
#include "dragoman/search/logits_reader.h"
#include "search/table_scorer.h"
#include "support/catch.h"
#include "support/devices.h"

#include <ATen/ATen.h>

#include <limits>

namespace device_ranking_test {

namespace {

using dragoman::Candidate;
using dragoman::LogitsReader;
using dragoman::rank_on_device;
using dragoman::TokenQuery;
using dragoman::TokenRules;

constexpr std::int64_t vocab_size = 50;

std::vector<TokenQuery> some_queries() {
  return {{}, {.given = 7}, {.banned = {4, 9, 30}}, {.given = 0}, {.banned = {11}}};
}

at::Tensor random_logits(std::int64_t rows, at::ScalarType type) {
  return (at::randn({rows, vocab_size}, at::kDouble) * 3).to(type);
}

/// What a search reads row by row.
std::vector<Candidate> read(const LogitsReader& reader, std::int64_t row, const TokenQuery& query,
                            std::int64_t count) {
  if (query.given) return {reader.given_token(row, *query.given)};
  std::vector<Candidate> best(static_cast<std::size_t>(count));
  best.resize(reader.best_tokens(row, query.banned, best));
  return best;
}

void check_same(std::span<const Candidate> actual, std::span<const Candidate> expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    CHECK(actual[i].index == expected[i].index);
    CHECK(actual[i].value == test::Approx(expected[i].value).epsilon(1e-5).margin(1e-5));
  }
}

}  // namespace

TEST_CASE("a device draws the tokens that a draw on the CPU finds", "[property]") {
  std::vector<dragoman::SearchOptions> rules(5);
  rules[1].top_k = 4;
  rules[2].top_p = 0.7;
  rules[3].top_p = 1e-9;
  rules[4].top_k = 9;
  rules[4].top_p = 0.5;
  rules[4].temperature = 2.5;
  for (const auto& device : test::test_devices())
    for (std::size_t i = 0; i < rules.size(); ++i)
      for (const double draw : {0.0, 0.2, 0.7, 1.0 - 0x1.0p-53}) {
        CAPTURE(device.str(), i, draw);
        at::manual_seed(5);
        auto queries = some_queries();
        for (auto& query : queries) query.draw = draw;
        // Whole numbers: many tokens are exactly as probable as others.
        const auto logits = random_logits(std::ssize(queries), at::kDouble).round();
        const std::vector<at::Tensor> there = {logits.clone().to(device)};
        const auto drawn =
            rank_on_device(there, {.rows = queries, .rules = TokenRules(), .sampling = &rules[i]});
        auto copy = logits.clone();
        const LogitsReader reader(dragoman::readable_logits(copy), {});
        dragoman::TokenSampler sampler(rules[i]);
        for (std::size_t row = 0; row < queries.size(); ++row) {
          const auto& query = queries[row];
          const auto at = static_cast<std::int64_t>(row);
          const auto expected = query.given ? std::optional(reader.given_token(at, *query.given))
                                            : reader.drawn_token(at, query.banned, sampler, draw);
          REQUIRE(expected);
          check_same(drawn.row(at), {&*expected, 1});
        }
      }
}

TEST_CASE("where no token is allowed none is drawn, and there is no softmax of the allowed ones",
          "[unit]") {
  const dragoman::SearchOptions options;
  TokenQuery query;
  for (std::int64_t token = 0; token < vocab_size; ++token) query.banned.push_back(token);
  for (const auto& device : test::test_devices()) {
    const auto ranked = [&](const TokenRules& rules, const dragoman::SearchOptions* sampling) {
      const std::vector<at::Tensor> logits = {random_logits(1, at::kFloat).to(device)};
      return rank_on_device(logits, {.rows = {&query, 1}, .rules = rules, .sampling = sampling});
    };
    CHECK(ranked({}, &options).row(0).empty());
    CHECK(ranked({}, nullptr).row(0).empty());
    const TokenRules over_allowed{.normaliser = dragoman::Normaliser::allowed_tokens};
    CHECK_THROWS_AS(ranked(over_allowed, &options), dragoman::DataError);
    CHECK_THROWS_AS(ranked(over_allowed, nullptr), dragoman::DataError);
  }
}

TEST_CASE("a device ranks tokens as the search does on the CPU", "[property]") {
  for (const auto& device : test::test_devices())
    for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16})
      for (const std::int64_t count : {1, 8, 200}) {
        CAPTURE(device.str(), type, count);
        at::manual_seed(3);
        const auto queries = some_queries();
        const auto logits = random_logits(std::ssize(queries), type);
        const at::Tensor there[] = {logits.clone().to(device)};
        const auto ranked = rank_on_device(there, {.rows = queries, .count = count});
        auto values = logits.clone();
        const LogitsReader reader(dragoman::readable_logits(values), TokenRules{});
        for (std::size_t row = 0; row < queries.size(); ++row) {
          const auto place = static_cast<std::int64_t>(row);
          check_same(ranked.row(place), read(reader, place, queries[row], count));
        }
      }
}

TEST_CASE("the mean of several models' probabilities is ranked", "[property]") {
  for (const auto& device : test::test_devices()) {
    at::manual_seed(5);
    const auto queries = some_queries();
    std::vector<at::Tensor> host, there;
    std::vector<dragoman::Logits> read_by_search;
    for (int model = 0; model < 3; ++model) {
      host.push_back(random_logits(std::ssize(queries), at::kDouble));
      there.push_back(host.back().clone().to(device));
    }
    for (auto& logits : host) read_by_search.push_back(dragoman::readable_logits(logits));
    dragoman::replace_by_mean_log_probs(read_by_search);
    const LogitsReader reader(read_by_search.front(), TokenRules{});
    const auto ranked = rank_on_device(there, {.rows = queries, .count = 6});
    for (std::size_t row = 0; row < queries.size(); ++row) {
      const auto place = static_cast<std::int64_t>(row);
      check_same(ranked.row(place), read(reader, place, queries[row], 6));
    }
  }
}

TEST_CASE("tokens of zero probability are not ranked", "[unit]") {
  auto logits = at::full({1, 6}, -1e9, at::kDouble);
  logits[0][4] = 0.0;
  const at::Tensor models[] = {logits};
  const std::vector<TokenQuery> queries(1);
  CHECK(rank_on_device(models, {.rows = queries, .count = 4}).row(0).size() == 1);
}

TEST_CASE("equally probable tokens are ranked by id", "[unit]") {
  const at::Tensor models[] = {at::zeros({1, 9}, at::kDouble)};
  const std::vector<TokenQuery> queries(1);
  const auto ranked = rank_on_device(models, {.rows = queries, .count = 9});
  std::vector<std::int64_t> order;
  for (const auto& token : ranked.row(0)) order.push_back(token.index);
  CHECK(std::ranges::is_sorted(order));
}

TEST_CASE("an output that is not finite is refused by each device", "[unit]") {
  const std::vector<TokenQuery> queries(2);
  for (const auto& device : test::test_devices())
    for (const double damaged :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      auto logits = at::zeros({2, 6});
      logits[1][3] = damaged;
      const at::Tensor models[] = {logits.to(device)};
      CHECK_THROWS_AS(rank_on_device(models, {.rows = queries, .count = 2}), dragoman::DataError);
    }
}

}  // namespace device_ranking_test
