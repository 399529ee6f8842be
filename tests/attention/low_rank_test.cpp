#include "dragoman/attention/low_rank.h"

#include "attention_support.h"
#include "dragoman/core/error.h"

#include "support/golden.h"

#include <cmath>

namespace low_rank_test {

using dragoman::AttentionMask;
using dragoman::LowRankAttention;

namespace {

void check_low_rank(const test::GoldenCase& golden) {
  const auto projection = golden.at("weights", "E");  // [rank, longest]
  const LowRankAttention attention(projection.size(0), projection.size(1));
  auto weights = attention.weights();
  weights[0].value.set_data(projection);
  weights[1].value.set_data(golden.at("weights", "Fv"));
  const auto query = golden.variable("Q"), key = golden.variable("K"), value = golden.variable("V");
  const auto keys = golden.optional_input("key_allow");
  const auto mask =
      AttentionMask::structured(keys.defined() ? keys.squeeze(1) : keys, /*causal=*/false);
  const auto context =
      attention.attend(query, {key, value}, mask, {.scale = test::scale_of(query)}).context;
  CHECK_THAT(context, test::close_to(golden.output("out")));
  context.backward(golden.grad_output());
  CHECK_THAT(query.grad(), test::close_to(golden.at("grads", "Q")));
  CHECK_THAT(key.grad(), test::close_to(golden.at("grads", "K")));
  CHECK_THAT(value.grad(), test::close_to(golden.at("grads", "V")));
  CHECK_THAT(weights[0].value.grad(), test::close_to(golden.at("grads", "E")));
  CHECK_THAT(weights[1].value.grad(), test::close_to(golden.at("grads", "Fv")));
}

}  // namespace

TEST_CASE("low-rank attention has the golden results and gradients", "[golden]") {
  for (const auto& name : test::golden_names("lowrank_attention"))
    for (const auto& place : test::golden_places()) {
      CAPTURE(name, place);
      check_low_rank(test::GoldenCase(name, place));
    }
}

TEST_CASE("the weights of low-rank attention times the values give its context", "[property]") {
  torch::manual_seed(2);
  const LowRankAttention attention(3, 9);
  for (const auto& weight : attention.weights())
    weight.value.set_data(weight.value.to(at::kDouble));
  const auto heads = test::random_heads(2, 7, 7);
  const auto keys = at::arange(7).unsqueeze(0) < at::tensor({7, 4}).unsqueeze(1);
  for (const auto& mask : {AttentionMask{}, AttentionMask::structured(keys, /*causal=*/false)}) {
    const auto result =
        attention.attend(heads.query, {heads.key, heads.value}, mask,
                         {.scale = 0.5, .need_weights = dragoman::NeedWeights::yes});
    REQUIRE(result.weights.sizes() == at::IntArrayRef({2, 2, 7, 7}));
    CHECK_THAT(result.weights.matmul(heads.value), test::close_to(result.context));
    const bool padded = mask.key_mask.defined();
    CHECK((result.weights[1].narrow(-1, 4, 3).abs().max().item<double>() == 0.0) == padded);
  }
}

TEST_CASE("low-rank attention refuses sentences longer than it was made for", "[unit]") {
  const LowRankAttention attention(2, 5);
  const auto heads = test::random_heads(1, 6, 6, 4, 4, at::kFloat);
  CHECK_THROWS_WITH(
      attention.attend(heads.query, {heads.key, heads.value}, {}, {}),
      "attention: a sentence of 6 tokens, but low_rank was trained for 5; shorten it, or "
      "train with a larger max_length");
  const auto shorter = test::random_heads(1, 5, 5, 4, 4, at::kFloat);
  CHECK_THROWS_AS(attention.attend(shorter.query, {shorter.key, shorter.value},
                                   AttentionMask::structured({}, /*causal=*/true), {}),
                  dragoman::ContractError);
}

}  // namespace low_rank_test
