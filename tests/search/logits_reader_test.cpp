#include "dragoman/search/logits_reader.h"
#include "dragoman/search/top_candidates.h"

#include "search/table_scorer.h"
#include "support/catch.h"
#include "support/golden.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace logits_reader_test {

using dragoman::Candidate;
using dragoman::LogitsReader;
using dragoman::TokenRules;

TEST_CASE("log-probabilities are those of the softmax over all tokens", "[unit]") {
  at::manual_seed(1);
  const auto logits = at::randn({3, 20}, at::kDouble);
  const auto expected = logits.log_softmax(-1);
  auto values = logits.clone();
  const LogitsReader reader(dragoman::readable_logits(values), TokenRules{});
  std::vector<Candidate> best(20);
  CHECK(reader.best_tokens(1, std::vector<std::int64_t>{7}, best) == 17);
  for (std::size_t i = 0; i < 17; ++i) {
    CHECK(best[i].index != 7);
    CHECK(best[i].value == test::Approx(expected[1][best[i].index].item<double>()).epsilon(1e-12));
  }
}

TEST_CASE("log-probabilities of scores of any size are the golden ones", "[golden]") {
  for (const auto& name : test::golden_names("softmax"))
    for (const auto type : test::golden_types()) {
      CAPTURE(name, c10::toString(type));
      const test::GoldenCase golden(name, type);
      const auto rows = golden.input("x").reshape({-1, golden.input("x").size(-1)}).contiguous();
      auto found = at::empty_like(rows);
      for (std::int64_t i = 0; i < rows.size(0); ++i) {
        const auto size = static_cast<std::size_t>(rows.size(1));
        const double sum =
            type == at::kDouble
                ? dragoman::log_sum_exp(std::span(rows[i].const_data_ptr<double>(), size))
                : dragoman::log_sum_exp(std::span(rows[i].const_data_ptr<float>(), size));
        found[i].copy_(rows[i] - sum);
      }
      const auto expected = golden.output("log_softmax");
      CHECK_THAT(found.view_as(expected), test::close_to(expected));
    }
}

TEST_CASE("renormalised, the probabilities of the allowed tokens sum to 1", "[unit]") {
  at::manual_seed(2);
  const auto logits = at::randn({3, 20}, at::kDouble);
  auto allowed = logits.clone();
  for (const auto token : {0, 2, 7}) allowed.select(1, token).fill_(-1e300);
  const auto expected = allowed.log_softmax(-1);
  auto values = logits.clone();
  const LogitsReader reader(dragoman::readable_logits(values),
                            TokenRules{.normaliser = dragoman::Normaliser::allowed_tokens});
  std::vector<Candidate> best(20);
  REQUIRE(reader.best_tokens(0, std::vector<std::int64_t>{7}, best) == 17);
  for (std::size_t i = 0; i < 17; ++i)
    CHECK(best[i].value == test::Approx(expected[0][best[i].index].item<double>()).epsilon(1e-12));
  allowed.select(1, 7).copy_(logits.select(1, 7));  // only pad and BOS are not allowed here
  CHECK(reader.given_token(2, 5).value ==
        test::Approx(allowed.log_softmax(-1)[2][5].item<double>()).epsilon(1e-12));
}

TEST_CASE("a token of zero probability is no candidate", "[unit]") {
  auto logits = at::full({1, 6}, -1e9, at::kDouble);
  logits[0][4] = 0.0;
  const LogitsReader reader(dragoman::readable_logits(logits), TokenRules{});
  std::vector<Candidate> best(4);
  CHECK(reader.best_tokens(0, {}, best) == 1);
}

TEST_CASE("logits of half precision are read as float", "[unit]") {
  auto logits = at::zeros({1, 8}, at::kBFloat16);
  Candidate best;
  CHECK(LogitsReader(dragoman::readable_logits(logits), TokenRules{})
            .best_tokens(0, {}, {&best, 1}) == 1);
  CHECK(best.value == test::Approx(-std::log(8.0)));
}

TEST_CASE("a forbidden token that is the largest of its block hides no other", "[unit]") {
  at::manual_seed(3);
  const auto logits = at::randn({1, 200});
  std::vector<float> maxima;
  for (std::int64_t at = 0; at < 200; at += dragoman::logits_block)
    maxima.push_back(
        logits[0].narrow(0, at, std::min<std::int64_t>(64, 200 - at)).max().item<float>());
  const auto sum = (logits - logits.max()).exp().sum().item<float>();
  std::vector<std::int64_t> banned;
  const auto order = logits[0].argsort(-1, true);
  for (std::int64_t i = 0; i < 40; i += 2) banned.push_back(order[i].item<std::int64_t>());
  for (const auto over : {dragoman::Normaliser::all_tokens, dragoman::Normaliser::allowed_tokens})
    for (const std::size_t count : {1U, 3U, 4U, 20U}) {
      const TokenRules rules{.normaliser = over};
      auto plain = logits.clone(), reduced = logits.clone();
      auto own_maxima = maxima;
      auto known = std::get<dragoman::LogitsOf<float>>(dragoman::readable_logits(reduced));
      known.block_maxima = own_maxima.data();
      known.chunk_sums = &sum;
      std::vector<Candidate> expected(count), found(count);
      CHECK(
          LogitsReader(dragoman::readable_logits(plain), rules).best_tokens(0, banned, expected) ==
          count);
      CHECK(LogitsReader(known, rules).best_tokens(0, banned, found) == count);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(found[i].index == expected[i].index);
        CHECK(found[i].value == test::Approx(expected[i].value).epsilon(0.0).margin(1e-6));
      }
    }
}

TEST_CASE("a forbidden token leaves the others what they are", "[unit]") {
  at::manual_seed(4);
  auto logits = at::randn({2, 70});
  const auto before = logits.clone();
  auto rows = std::get<dragoman::LogitsOf<float>>(dragoman::readable_logits(logits));
  auto maxima =
      at::cat({logits.narrow(1, 0, 64).amax(1, true), logits.narrow(1, 64, 6).amax(1, true)}, 1)
          .contiguous();
  rows.block_maxima = maxima.mutable_data_ptr<float>();
  const auto best = before[1].argmax().item<std::int64_t>();
  dragoman::forbid_logit(rows.row(1), rows.maxima_of_row(1), static_cast<std::size_t>(best));
  auto expected = before.clone();
  expected[1][best] = -std::numeric_limits<float>::infinity();
  CHECK(logits.equal(expected));
  CHECK(maxima.equal(at::cat(
      {expected.narrow(1, 0, 64).amax(1, true), expected.narrow(1, 64, 6).amax(1, true)}, 1)));
}

TEST_CASE("the logits of a step are computed block by block, and rows may be skipped", "[unit]") {
  at::manual_seed(1);
  const auto table = at::randn({7, 7, 7}, at::kDouble).log_softmax(-1);
  test::TableScorer scorer(table.clone(), 8, 2);
  const std::vector<std::int64_t> tokens = {3, 4, 5, 6, 3, 4, 5, 6};
  scorer.advance(tokens);
  const std::vector<dragoman::TokenQuery> queries(8);
  const dragoman::RankingRequest request{.rows = queries};
  dragoman::StepReader reader(scorer, request);
  for (const std::int64_t row : {0, 1, 2, 5, 7}) {
    CAPTURE(row);
    Candidate best;
    REQUIRE(reader.best_tokens(row, {&best, 1}) == 1);
    const auto expected =
        table[2][tokens[static_cast<std::size_t>(row)]].narrow(0, 3, 4).max().item<double>();
    const auto unknown = table[2][tokens[static_cast<std::size_t>(row)]][1].item<double>();
    CHECK(best.value == test::Approx(std::max(expected, unknown)).epsilon(1e-12));
  }
}

}  // namespace logits_reader_test
