#include "dragoman/attention/linear.h"

#include "attention_support.h"

#include "support/golden.h"

namespace linear_test {

using dragoman::AttentionMask;
using dragoman::LinearAttention;
using dragoman::NeedWeights;

namespace {

AttentionMask golden_mask(const test::GoldenCase& golden, const std::string& name) {
  const auto keys = golden.optional_input("key_allow");
  return AttentionMask::structured(keys.defined() ? keys.squeeze(1) : keys,
                                   name.find("_causal") != std::string::npos);
}

}  // namespace

TEST_CASE("linear attention has the golden results and gradients, by sums and over all pairs",
          "[golden]") {
  for (const auto& name : test::golden_names("linear_attention"))
    for (const auto& place : test::golden_places())
      for (const auto need_weights : {NeedWeights::no, NeedWeights::yes}) {
        CAPTURE(name, place);
        const test::GoldenCase golden(name, place);
        const auto query = golden.variable("Q"), key = golden.variable("K"),
                   value = golden.variable("V");
        const auto result = LinearAttention().attend(query, {key, value}, golden_mask(golden, name),
                                                     {.scale = 9.0, .need_weights = need_weights});
        CHECK_THAT(result.context, test::close_to(golden.output("out")));
        result.context.backward(golden.grad_output());
        CHECK_THAT(query.grad(), test::close_to(golden.at("grads", "Q")));
        CHECK_THAT(key.grad(), test::close_to(golden.at("grads", "K")));
        CHECK_THAT(value.grad(), test::close_to(golden.at("grads", "V")));
      }
}

TEST_CASE("the feature map is as exact in float32 for very negative numbers", "[unit]") {
  const auto x = at::linspace(-80.0, 3.0, 500, at::kDouble).requires_grad_();
  const auto expected = at::where(x > 0, 1.0 + x, x.exp());
  const auto single = x.detach().to(at::kFloat).requires_grad_();
  const auto features = dragoman::linear_features(single);
  CHECK_THAT(features.to(at::kDouble), test::close_to(expected, {1e-5, 0.0}));
  CHECK_THAT(dragoman::linear_features(x), test::close_to(expected, {1e-14, 0.0}));
  features.sum().backward();
  expected.sum().backward();
  CHECK_THAT(single.grad().to(at::kDouble), test::close_to(x.grad(), {1e-5, 0.0}));
}

TEST_CASE("the running sums of linear attention equal its sums over all pairs", "[property]") {
  for (const std::int64_t len : {1, 5, 64, 65, 200})  // blocks of 64
    for (const auto causal : {false, true}) {
      CAPTURE(len, causal);
      const auto heads = test::random_heads(3, len, len);
      const auto mask =
          AttentionMask::structured(test::real_tokens({len, (len + 1) / 2, 0}, len), causal);
      test::check_same(test::attended(LinearAttention(), heads, mask),
                       test::attended_densely(LinearAttention(), heads, mask), {1e-10, 1e-12});
    }
}

TEST_CASE("the state of linear attention does not grow with the number of tokens", "[property]") {
  const auto heads = test::random_heads(2, 20, 20);
  const at::NoGradGuard no_gradient;
  dragoman::Past past;
  for (std::int64_t t = 0; t < 20; ++t)
    LinearAttention().step(heads.query.narrow(2, t, 1),
                           {heads.key.narrow(2, t, 1), heads.value.narrow(2, t, 1)}, past, {});
  CHECK(past.tokens.length() == 0);
  CHECK(past.sums.s.sizes() == at::IntArrayRef({2, 2, 4, 5}));
  CHECK(past.rows() == 2);
}

}  // namespace linear_test
