#include "dragoman/core/error.h"
#include "dragoman/search/ensemble.h"
#include "dragoman/search/logits_reader.h"
#include "support/catch.h"

#include <cmath>
#include <vector>

namespace shortlist_logits_test {

using namespace dragoman;
using test::Approx;

namespace {

/// Logits of the tokens 1, 2, 7, 9 and 20, and two values without a token.
struct Short {
  std::vector<std::int32_t> tokens{1, 2, 7, 9, 20};
  std::vector<float> values{0.5F, 9.0F, 1.0F, 3.0F, 2.0F, -1e30F, -1e30F};
  std::span<const std::int32_t> of_row = tokens;

  LogitsOf<float> logits() {
    return {.values = values.data(), .rows = 1, .vocab_size = 7, .tokens = {&of_row, 1}};
  }
  double normaliser() const {
    double sum = 0.0;
    for (const float value : values) sum += std::exp(static_cast<double>(value));
    return std::log(sum);
  }
};

}  // namespace

TEST_CASE("the best tokens of a shortlist have their ids and its softmax", "[unit]") {
  Short few;
  const auto normaliser = few.normaliser();
  std::vector<Candidate> best(7);
  // 2 is BOS, and pad is not in the list.
  const LogitsReader reader(few.logits(), {});
  CHECK(reader.best_tokens(0, std::vector<std::int64_t>{20, 3}, best) == 3);
  CHECK(best[0].index == 9);
  CHECK(best[1].index == 7);
  CHECK(best[2].index == 1);
  CHECK(best[0].value == Approx(3.0 - normaliser).epsilon(1e-6));
}

TEST_CASE("a token is drawn from a shortlist by its id", "[unit]") {
  Short few;
  const auto normaliser = few.normaliser();
  TokenSampler sampler({.sample = true, .top_k = 1});
  const auto token = LogitsReader(few.logits(), {}).drawn_token(0, {}, sampler, 0.3);
  REQUIRE(token);
  CHECK(token->index == 9);
  CHECK(token->value == Approx(3.0 - normaliser).epsilon(1e-6));
}

TEST_CASE("a given token has to be in the shortlist", "[unit]") {
  Short few;
  const auto normaliser = few.normaliser();
  const LogitsReader reader(few.logits(), {});
  CHECK(reader.given_token(0, 20).value == Approx(2.0 - normaliser).epsilon(1e-6));
  CHECK_THROWS_AS(reader.given_token(0, 8), ContractError);
}

TEST_CASE("an ensemble's members must have the same tokens", "[unit]") {
  Short one, same, other;
  other.tokens[2] = 8;
  const std::vector<Logits> equal{one.logits(), same.logits()};
  replace_by_mean_log_probs(equal);
  CHECK(one.values[3] == Approx(3.0 - same.normaliser()).epsilon(1e-5));
  const std::vector<Logits> different{one.logits(), other.logits()};
  CHECK_THROWS_AS(replace_by_mean_log_probs(different), ContractError);
}

}  // namespace shortlist_logits_test
