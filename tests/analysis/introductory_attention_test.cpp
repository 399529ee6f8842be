#include "dragoman/analysis/introductory_attention.h"
#include "dragoman/attention/full.h"
#include "dragoman/tensor/mask.h"

#include "support/golden.h"

#include <torch/autograd.h>

namespace introductory_attention_test {

namespace {

/// Attention of each row to those before it, without projections or scale. \return [.., len, len]
at::Tensor weights_of_past(const at::Tensor& x) {
  const auto len = x.size(-2);
  const auto before = dragoman::causal_mask(len).tril(-1);
  const auto heads = x.view({-1, 1, len, x.size(-1)});
  const auto mask = dragoman::AttentionMask::from(before, x.scalar_type());
  return dragoman::scaled_dot_product_attention(heads, {heads, heads}, mask,
                                                {.need_weights = dragoman::NeedWeights::yes})
      .weights.squeeze(1);
}

void check_past(const test::GoldenCase& golden, at::Tensor (*function)(const at::Tensor&)) {
  const auto x = golden.variable("x");
  const auto out = function(x);
  CHECK_THAT(out, test::close_to(golden.output("out")));
  const auto gradient = torch::autograd::grad({(out * golden.grad_output()).sum()}, {x})[0];
  CHECK_THAT(gradient, test::close_to(golden.at("grads", "x")));
}

}  // namespace

TEST_CASE("the summed past matches the golden one, with gradients", "[golden]") {
  for (const auto& name : test::golden_names("naive_sum_past"))
    for (const auto type : test::golden_types()) {
      CAPTURE(name, c10::toString(type));
      check_past({name, type}, &dragoman::sum_of_past);
    }
}

TEST_CASE("the weighted past matches the golden one, with gradients and weights", "[golden]") {
  for (const auto& name : test::golden_names("naive_dot_past"))
    for (const auto type : test::golden_types()) {
      CAPTURE(name, c10::toString(type));
      const test::GoldenCase golden(name, type);
      check_past(golden, &dragoman::dot_of_past);
      CHECK_THAT(weights_of_past(golden.input("x")), test::close_to(golden.output("weights")));
    }
}

TEST_CASE("the first token has no past", "[unit]") {
  const auto x = at::ones({3, 2}, at::kDouble);
  CHECK_THAT(dragoman::dot_of_past(x)[0], test::close_to(at::zeros({2}, at::kDouble)));
}

}  // namespace introductory_attention_test
