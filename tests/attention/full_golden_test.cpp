#include "dragoman/attention/full.h"

#include "dragoman/tensor/mask.h"

#include "support/golden.h"

#include <cmath>

namespace full_golden_test {

using dragoman::AttentionMask;
using dragoman::AttentionSettings;
using dragoman::NeedWeights;

namespace {

void check_case(const test::GoldenCase& golden) {
  const auto query = golden.variable("Q"), key = golden.variable("K"), value = golden.variable("V");
  const auto mask = AttentionMask::from(golden.optional_input("allow"), golden.type());
  const auto result = dragoman::scaled_dot_product_attention(
      query, {key, value}, mask,
      {.scale = golden.json().at("params").at("scale"), .need_weights = NeedWeights::yes});
  CHECK_THAT(result.context, test::close_to(golden.output("out")));
  CHECK_THAT(result.weights, test::close_to(golden.output("weights")));
  result.context.backward(golden.grad_output());
  CHECK_THAT(query.grad(), test::close_to(golden.at("grads", "Q")));
  CHECK_THAT(key.grad(), test::close_to(golden.at("grads", "K")));
  CHECK_THAT(value.grad(), test::close_to(golden.at("grads", "V")));
}

/// One head, one sentence: [len, width] to [1, 1, len, width].
at::Tensor one_head(const at::Tensor& x) { return x.unsqueeze(0).unsqueeze(0); }

dragoman::AttentionResult attend(const at::Tensor& query, const at::Tensor& key,
                                 const at::Tensor& value, double scale,
                                 const AttentionMask& mask = {}) {
  return dragoman::scaled_dot_product_attention(one_head(query), {one_head(key), one_head(value)},
                                                mask,
                                                {.scale = scale, .need_weights = NeedWeights::yes});
}

}  // namespace

TEST_CASE("scaled dot-product attention has the golden results and gradients", "[golden]") {
  for (const auto& name : test::golden_names("sdpa_"))
    for (const auto& place : test::golden_places()) {
      CAPTURE(name, place);
      check_case(test::GoldenCase(name, place));
    }
}

TEST_CASE("softmax has the golden results, with rows at +1000 and -1000 too", "[golden]") {
  for (const auto& name : test::golden_names("softmax"))
    for (const auto& place : test::golden_places()) {
      CAPTURE(name, place);
      const test::GoldenCase golden(name, place);
      // Attention over unit vectors gives its scores' softmax: scores = x I.
      const auto x = golden.variable("x");
      const auto unit = at::eye(x.size(-1), x.options());
      const auto rows = x.reshape({-1, x.size(-1)});
      const auto out = attend(rows, unit, unit, 1.0).context.view_as(x);
      CHECK_THAT(out, test::close_to(golden.output("out")));
      out.backward(golden.grad_output());
      CHECK_THAT(x.grad(), test::close_to(golden.at("grads", "x")));
    }
}

}  // namespace full_golden_test
