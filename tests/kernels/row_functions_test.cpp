#include "dragoman/kernels/row_functions.h"

#include "support/close.h"

#include <torch/types.h>

namespace row_functions_test {

TEST_CASE("rows are normalised as by LibTorch, at any width and in place", "[unit]") {
  torch::manual_seed(1);
  for (const std::int64_t width : {1, 3, 16, 31, 128, 130}) {
    CAPTURE(width);
    auto x = torch::randn({5, width}) * 3.0 + 10.0;
    const auto weight = torch::randn({width}), bias = torch::randn({width});
    const auto expected = at::layer_norm(x, {width}, weight, bias, 1e-3);
    auto* numbers = x.mutable_data_ptr<float>();
    dragoman::layer_norm_rows(numbers, 5, width,
                              {weight.const_data_ptr<float>(), bias.const_data_ptr<float>(), 1e-3},
                              numbers);
    CHECK_THAT(x, test::close_to(expected, {1e-5, 2e-5}));
  }
}

TEST_CASE("gelu in both forms is LibTorch's", "[unit]") {
  const auto x =
      torch::cat({torch::linspace(-12.0, 12.0, 2001), torch::tensor({-90.0F, 90.0F, 0.0F})});
  auto exact = x.clone(), approximate = x.clone();
  dragoman::gelu(exact.mutable_data_ptr<float>(), exact.numel());
  CHECK_THAT(exact, test::close_to(at::gelu(x), {1e-6, 2e-6}));
  dragoman::gelu_tanh(approximate.mutable_data_ptr<float>(), approximate.numel());
  CHECK_THAT(approximate, test::close_to(at::gelu(x, "tanh"), {1e-6, 2e-6}));
}

TEST_CASE("swish is LibTorch's SiLU, with a factor x sigmoid of the factor times x", "[unit]") {
  const auto x =
      torch::cat({torch::linspace(-12.0, 12.0, 2001), torch::tensor({-90.0F, 90.0F, 0.0F})});
  auto plain = x.clone(), scaled = x.clone();
  dragoman::swish(plain.mutable_data_ptr<float>(), plain.numel());
  CHECK_THAT(plain, test::close_to(at::silu(x), {1e-6, 2e-6}));
  dragoman::swish(scaled.mutable_data_ptr<float>(), scaled.numel(), 1.702F);
  CHECK_THAT(scaled, test::close_to(x * at::sigmoid(1.702 * x), {1e-6, 2e-6}));
  float huge[] = {-1e34F, -3e38F, 3e38F};
  dragoman::swish(huge, 3);
  CHECK((huge[0] == 0.0F && huge[1] == 0.0F && huge[2] == 3e38F));
}

}  // namespace row_functions_test
