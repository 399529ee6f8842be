#include "dragoman/attention/full.h"

#include "dragoman/tensor/mask.h"

#include "support/golden.h"

#include <cmath>

namespace full_golden_test {

using dragoman::AttentionMask;
using dragoman::AttentionSettings;
using dragoman::Weights;

namespace {

void check_case(const std::string& name, at::ScalarType type) {
  const test::GoldenCase golden(name, type);
  const auto query = golden.variable("Q"), key = golden.variable("K"), value = golden.variable("V");
  const auto mask = AttentionMask::from(golden.optional_input("allow"), type);
  const auto result = dragoman::scaled_dot_product_attention(
      query, {key, value}, mask,
      {.scale = golden.json().at("params").at("scale"), .weights = Weights::keep});
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
                                                mask, {.scale = scale, .weights = Weights::keep});
}

}  // namespace

TEST_CASE("scaled dot-product attention has the golden results and gradients", "[golden]") {
  int cases = 0;
  for (const auto& [name, stored] : test::golden_file().at("cases").items()) {
    if (name.rfind("sdpa_", 0) != 0) continue;
    ++cases;
    for (const auto type : test::golden_types()) {
      CAPTURE(name, c10::toString(type));
      check_case(name, type);
    }
  }
  CHECK(cases >= 8);
}

TEST_CASE("softmax has the golden results, with rows at +1000 and -1000 too", "[golden]") {
  for (const auto type : test::golden_types()) {
    const test::GoldenCase golden("softmax", type);
    // Attention over unit vectors gives its scores' softmax: scores = x I.
    const auto x = golden.variable("x");
    const auto unit = at::eye(5, x.options());
    const auto out = attend(x, unit, unit, 1.0).context.squeeze(0).squeeze(0);
    CHECK_THAT(out, test::close_to(golden.output("out")));
    CHECK_THAT(at::log_softmax(x, -1), test::close_to(golden.output("log_softmax")));
    out.backward(golden.grad_output());
    CHECK_THAT(x.grad(), test::close_to(golden.at("grads", "x")));
  }
}

TEST_CASE("attention reproduces the worked example of one query", "[golden]") {
  const auto scores = test::worked_example("000.scores");
  const auto query = test::plain_tensor(scores["inputs"]["q1"]).unsqueeze(0);
  const auto key = test::plain_tensor(scores["inputs"]["K"]);
  const auto weighted = test::worked_example("000.weighted_sum");
  const auto value = test::plain_tensor(weighted["inputs"]["V"]);
  CHECK_THAT(at::mv(key, query[0]),
             test::close_to(test::plain_tensor(scores["correct"]["scores"])));
  const auto scaled = test::worked_example("000.scaled");
  CHECK_THAT(at::mv(key, query[0]) / std::sqrt(3.0),
             test::close_to(test::plain_tensor(scaled["correct"]["scaled"])));
  const auto result = attend(query, key, value, 1.0 / std::sqrt(3.0));
  CHECK_THAT(result.weights.flatten(), test::close_to(test::plain_tensor(test::worked_example(
                                           "000.softmax")["correct"]["weights"])));
  CHECK_THAT(result.context.flatten(),
             test::close_to(test::plain_tensor(weighted["correct"]["output"])));
}

TEST_CASE("attention reproduces the worked examples of whole sentences", "[golden]") {
  const auto first = test::plain_tensor(test::worked_example("000.ex1_scores")["inputs"]["X"]);
  const auto of_first = attend(first, first, first, 0.5);
  CHECK_THAT(of_first.weights[0][0], test::close_to(test::plain_tensor(test::worked_example(
                                         "000.ex1_weights")["correct"]["weights"])));
  CHECK_THAT(of_first.context[0][0], test::close_to(test::plain_tensor(test::worked_example(
                                         "000.ex1_output")["correct"]["output"])));

  const auto second = test::worked_example("001.ex1");
  const auto x = test::plain_tensor(second["inputs"]["X"]);
  const auto of_second = attend(x, x, x, 1.0 / std::sqrt(3.0));
  CHECK_THAT(of_second.weights[0][0],
             test::close_to(test::plain_tensor(second["correct"]["weights"])));
  CHECK_THAT(of_second.context[0][0],
             test::close_to(test::plain_tensor(second["correct"]["output"])));

  const auto third = test::worked_example("001.ex2");
  const auto map = [&](const char* name) {
    return at::mm(test::plain_tensor(third["inputs"]["X"]),
                  test::plain_tensor(third["inputs"][name]));
  };
  const auto of_third = attend(map("W_Q"), map("W_K"), map("W_V"), 0.5);
  CHECK_THAT(of_third.weights[0][0],
             test::close_to(test::plain_tensor(third["correct"]["weights"])));
  CHECK_THAT(of_third.context[0][0],
             test::close_to(test::plain_tensor(third["correct"]["output"])));
}

TEST_CASE("softmax reproduces the worked examples of saturation", "[golden]") {
  const auto check = [](const char* id, const char* input, const char* result) {
    CAPTURE(id);
    const auto example = test::worked_example(id);
    const auto x = test::plain_tensor(example["inputs"][input]).unsqueeze(0);
    const auto unit = at::eye(x.size(1), x.options());
    CHECK_THAT(attend(x, unit, unit, 1.0).weights.flatten(),
               test::close_to(test::plain_tensor(example["correct"][result])));
  };
  check("000.softmax_saturated", "x", "p");
  check("001.scaling_unscaled", "scores", "p");
  check("001.scaling_scaled", "scores", "p");
  check("001.softmax_intuition", "x", "p");
}

TEST_CASE("under the causal mask rows sum to one and weights right of the diagonal are zero",
          "[golden]") {
  const auto expected = test::plain_tensor(test::worked_example("001.masked_rows")["correct"]["A"]);
  // Scores ln A give back A; hidden ones may be anything.
  const auto scores = expected.log().masked_fill(expected == 0, 3.0);
  const auto unit = at::eye(4, scores.options());
  const auto mask = AttentionMask::causal(4, scores.options());
  CHECK_THAT(attend(scores, unit, unit, 1.0, mask).weights[0][0], test::close_to(expected));
}

}  // namespace full_golden_test
