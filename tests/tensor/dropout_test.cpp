#include "dragoman/tensor/dropout.h"

#include "dragoman/kernels/fast_exp.h"
#include "dragoman/tensor/random_stream.h"
#include "support/close.h"

#include <torch/types.h>

#include <cmath>

namespace dragoman::dropout_test {

TEST_CASE("dropout keeps the mean and zeroes the given share", "[property]") {
  const RandomScope random(3);
  const auto x = torch::ones({1000, 1000});
  for (const double p : {0.1, 0.3, 0.5}) {
    CAPTURE(p);
    const auto y = dragoman::dropout(x, p, true);
    // Five standard errors of a million draws.
    const double error = 5.0 * std::sqrt(p * (1.0 - p) / 1e6);
    CHECK(std::abs((y == 0).to(torch::kFloat64).mean().item<double>() - p) < error);
    CHECK(std::abs(y.mean().item<double>() - 1.0) < error / (1.0 - p) + 1e-5);
  }
}

TEST_CASE("dropout is the identity outside training and at rate 0", "[unit]") {
  const auto x = torch::randn({4, 5});
  CHECK(test::same_bits(dragoman::dropout(x, 0.5, false), x));
  CHECK(test::same_bits(dragoman::dropout(x, 0.0, true), x));
  CHECK(test::same_bits(add_dropout(x, x, 0.5, false), x + x));
}

TEST_CASE("the gradient flows to the elements that were kept", "[gradient]") {
  const RandomScope random(3);
  auto x = torch::ones({50, 40}).requires_grad_();
  const auto y = dragoman::dropout(x, 0.3, true);
  y.sum().backward();
  CHECK(test::same_bits(x.grad(), y.detach()));
}

TEST_CASE("adding and dropping in one pass is the sum of both", "[property]") {
  auto residual = torch::randn({30, 20}).requires_grad_();
  auto x = torch::randn({30, 20}).requires_grad_();
  const auto fused = [&] {
    const RandomScope random(4);
    return add_dropout(residual, x, 0.4, true);
  }();
  fused.sum().backward();
  const auto through = x.grad().clone();
  const auto plain = [&] {
    const RandomScope random(4);
    return residual + dragoman::dropout(x, 0.4, true);
  }();
  x.mutable_grad().zero_();
  plain.sum().backward();
  CHECK_THAT(fused, test::close_to(plain, {1e-6, 1e-6}));
  CHECK(test::same_bits(through, x.grad()));
  CHECK(test::same_bits(residual.grad(), torch::full({30, 20}, 2.0F)));
}

TEST_CASE("bf16 dropout added to float32 equals its float32 counterpart, gradients rounded once",
          "[property]") {
  const auto residual = torch::randn({37, 21}), weights = torch::randn({37, 21});
  const auto change = torch::randn({37, 21}).to(torch::kBFloat16);
  const auto pass = [&](at::ScalarType type) {
    const RandomScope random(4);
    const auto x = change.to(type).clone().requires_grad_();
    const auto y = add_dropout(residual, x, 0.3, true);
    (y * weights).sum().backward();
    return std::pair(y.detach(), x.grad());
  };
  const auto [y, gradient] = pass(torch::kBFloat16);
  const auto [twin, twin_gradient] = pass(torch::kFloat32);
  CHECK_THAT(y, test::close_to(twin, {1e-6, 1e-6}));
  CHECK(gradient.scalar_type() == torch::kBFloat16);
  CHECK(test::same_bits(gradient, twin_gradient.to(torch::kBFloat16)));
}

TEST_CASE("bf16 dropout rounds as LibTorch does and keeps values that are not finite",
          "[property]") {
  const auto x =
      torch::cat({torch::randn({5000}), torch::tensor({INFINITY, -INFINITY, NAN, 3.3e38F})})
          .to(torch::kBFloat16);
  const auto dropped = [&](at::ScalarType type) {
    const RandomScope random(9);
    return dragoman::dropout(x.to(type), 1e-9, true);
  };
  const auto y = dropped(torch::kBFloat16);
  CHECK(at::allclose(y.to(torch::kFloat32),
                     dropped(torch::kFloat32).to(torch::kBFloat16).to(torch::kFloat32), 0.0, 0.0,
                     true));
  CHECK(y[5002].isnan().item<bool>());
  const RandomScope random(10);
  const auto sparse = dragoman::dropout(x.narrow(0, 0, 5000), 0.4, true).to(torch::kFloat32);
  const auto kept = sparse != 0;
  CHECK(at::equal(sparse.masked_select(kept),
                  (x.narrow(0, 0, 5000).to(torch::kFloat32) * (1.0F / 0.6F))
                      .to(torch::kBFloat16)
                      .to(torch::kFloat32)
                      .masked_select(kept)));
}

TEST_CASE("every type drops the same elements", "[property]") {
  const auto x = torch::ones({64, 64});
  const auto zeros = [&](at::ScalarType type) {
    const RandomScope random(5);
    return dragoman::dropout(x.to(type), 0.5, true) == 0;
  };
  CHECK(at::equal(zeros(torch::kFloat32), zeros(torch::kFloat64)));
  CHECK(at::equal(zeros(torch::kFloat32), zeros(torch::kBFloat16)));
}

TEST_CASE("calls within a scope differ, and scopes with equal keys repeat them", "[property]") {
  const auto x = torch::ones({32, 32});
  const auto two = [&] {
    const RandomScope random(6);
    const auto first = dragoman::dropout(x, 0.5, true);
    return std::pair(first, dragoman::dropout(x, 0.5, true));
  };
  const auto [a, b] = two();
  const auto [c, d] = two();
  CHECK_FALSE(at::equal(a, b));
  CHECK(at::equal(a, c));
  CHECK(at::equal(b, d));
}

TEST_CASE("without a scope dropout follows LibTorch's seed", "[property]") {
  const auto x = torch::ones({32, 32});
  torch::manual_seed(1);
  const auto a = dragoman::dropout(x, 0.5, true);
  torch::manual_seed(1);
  CHECK(at::equal(a, dragoman::dropout(x, 0.5, true)));
  CHECK_FALSE(at::equal(a, dragoman::dropout(x, 0.5, true)));
}

TEST_CASE("neighbouring elements are dropped independently", "[property]") {
  const RandomScope random(8);
  const auto kept =
      (dragoman::dropout(torch::ones({1000000}), 0.5, true) != 0).to(torch::kFloat64) - 0.5;
  for (const std::int64_t distance : {1, 2, 16, 128, 1024}) {
    CAPTURE(distance);
    const auto n = kept.size(0) - distance;
    const auto product = (kept.narrow(0, 0, n) * kept.narrow(0, distance, n)).mean().item<double>();
    CHECK(std::abs(product * 4.0) < 5e-3);  // correlation, five standard errors
  }
}

TEST_CASE("the fast exponential is within 3e-7 of the library's", "[property]") {
  double worst = 0.0;
  for (double x = -87.0; x <= 87.0; x += 0.001) {
    const double exact = std::exp(static_cast<double>(static_cast<float>(x)));
    worst = std::max(worst, std::abs(fast_exp(static_cast<float>(x)) / exact - 1.0));
  }
  CHECK(worst < 3e-7);
  CHECK(fast_exp(0.0F) == 1.0F);
  CHECK(fast_exp(-1000.0F) == 0.0F);
}

}  // namespace dragoman::dropout_test
