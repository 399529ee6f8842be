#include "dragoman/kernels/row_functions.h"

#include "support/close.h"

#include <torch/types.h>

#include <cmath>

namespace row_functions_test {

namespace {

struct Reduced {
  Reduced(const torch::Tensor& numbers, std::int64_t block)
      : x(numbers.contiguous()),
        maxima(torch::empty({x.size(0), (x.size(1) + block - 1) / block})),
        sums(torch::empty({x.size(0)})) {
    dragoman::reduce_columns({.x = x.const_data_ptr<float>(),
                              .rows = x.size(0),
                              .count = x.size(1),
                              .width = x.size(1),
                              .block = block,
                              .maxima = maxima.mutable_data_ptr<float>(),
                              .maxima_width = maxima.size(1),
                              .sums = sums.mutable_data_ptr<float>(),
                              .sums_width = 1});
  }

  torch::Tensor x, maxima, sums;
};

}  // namespace

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

TEST_CASE("columns are reduced to maxima of blocks and sums of exponentials", "[unit]") {
  torch::manual_seed(2);
  for (const std::int64_t count : {1, 15, 16, 32, 33, 100, 512}) {
    CAPTURE(count);
    const auto reduced = Reduced(torch::randn({5, count}) * 4.0 + 100.0, 32);
    const auto blocks = reduced.x.split(32, 1);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      CHECK(reduced.maxima.select(1, static_cast<std::int64_t>(b)).equal(blocks[b].amax(1)));
    const auto x = reduced.x.to(torch::kDouble);
    CHECK_THAT(reduced.sums, test::close_to((x - x.amax(1, true)).exp().sum(1), {1e-6, 1e-6}));
  }
}

TEST_CASE("hidden numbers at the end of reduced columns change no bit", "[unit]") {
  torch::manual_seed(3);
  const auto x = torch::randn({5, 70}), hidden = torch::full({5, 58}, -INFINITY);
  const Reduced some(x, 64), more(torch::cat({x, hidden}, 1), 64);
  CHECK(some.sums.equal(more.sums));
  CHECK(some.maxima.equal(more.maxima));
  CHECK(Reduced(hidden, 64).sums.max().item<float>() < 1e-30F);
}

TEST_CASE("the sum of reduced columns that are not finite is not a number", "[unit]") {
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY)})
    for (const std::int64_t place : {0, 20, 69}) {
      auto x = torch::ones({1, 70});
      x[0][place] = bad;
      CHECK(Reduced(x, 64).sums.isnan().all().item<bool>());
    }
}

}  // namespace row_functions_test
