#include "dragoman/tensor/bf16_layer_norm.h"

#include "dragoman/core/error.h"
#include "support/close.h"
#include "support/devices.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>

#include <memory>

namespace dragoman::bf16_layer_norm_test {

namespace {

constexpr std::int64_t features = 40;
constexpr double eps = 1e-5;

/// Leaves whose gradients are not zero at first.
struct Norm {
  at::Tensor x, gamma, beta;
  LinearMap rounded;

  explicit Norm(const c10::Device& device) {
    torch::manual_seed(3);
    const auto leaf = [&](const at::Tensor& own) { return own.to(device).requires_grad_(); };
    x = leaf(torch::randn({3, 5, features}).to(torch::kBFloat16));
    gamma = leaf(torch::randn({features}));
    beta = leaf(torch::randn({features}));
    rounded = {gamma.detach().to(torch::kBFloat16), beta.detach().to(torch::kBFloat16)};
    gamma.mutable_grad() = torch::full({features}, 0.5F, gamma.options().requires_grad(false));
    beta.mutable_grad() = torch::full({features}, 0.25F, beta.options().requires_grad(false));
  }

  at::Tensor result() const { return bf16_layer_norm(x, {gamma, beta}, rounded, eps); }
};

at::Tensor exact(const at::Tensor& numbers) { return numbers.detach().cpu().to(torch::kFloat64); }

}  // namespace

TEST_CASE("a layer norm of bf16 numbers is that of their float64 values, gradients included",
          "[gradient]") {
  for (const auto& device : test::test_devices()) {
    CAPTURE(device.str());
    const Norm norm(device);
    const auto outer = torch::randn({3, 5, features}).to(torch::kBFloat16);
    const auto result = norm.result();
    CHECK(result.scalar_type() == torch::kBFloat16);
    result.backward(outer.to(device));
    const auto leaf = [](const at::Tensor& x) { return exact(x).requires_grad_(); };
    const auto x = leaf(norm.x), gamma = leaf(norm.rounded.weight), beta = leaf(norm.rounded.bias);
    const auto expected = at::layer_norm(x, {features}, gamma, beta, eps);
    expected.backward(exact(outer));
    CHECK_THAT(exact(result), test::close_to(expected.detach(), {0.01, 0.01}));
    CHECK_THAT(exact(norm.x.grad()), test::close_to(x.grad(), {0.01, 0.02}));
    CHECK_THAT(exact(norm.gamma.grad()), test::close_to(gamma.grad() + 0.5, {0.01, 0.05}));
    CHECK_THAT(exact(norm.beta.grad()), test::close_to(beta.grad() + 0.25, {0.01, 0.05}));
  }
}

TEST_CASE("hooks are called once when a layer norm of bf16 numbers has added its gradients",
          "[unit]") {
  struct CountingHook final : torch::autograd::PostAccumulateGradHook {
    explicit CountingHook(int& count) : calls(count) {}
    void operator()(const at::Tensor& leaf) override {
      calls += leaf.grad().eq(0.5F).all().item<bool>() ? 100 : 1;
    }
    int& calls;
  };
  const Norm norm(c10::kCPU);
  int calls = 0;
  torch::autograd::impl::set_post_acc_grad_hooks(norm.gamma, std::make_unique<CountingHook>(calls));
  norm.result().sum().backward();
  CHECK(calls == 1);
}

TEST_CASE("a layer norm of bf16 numbers refuses parameters whose gradient is undefined", "[unit]") {
  Norm norm(c10::kCPU);
  norm.gamma.mutable_grad().reset();
  CHECK_THROWS_AS(norm.result().sum().backward(), ContractError);
}

}  // namespace dragoman::bf16_layer_norm_test
