#include "dragoman/tensor/bf16_linear.h"

#include "dragoman/core/error.h"
#include "support/close.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>

namespace dragoman::bf16_linear_test {

namespace {

constexpr std::int64_t inputs = 37, outputs = 21;

struct CountingHook final : torch::autograd::PostAccumulateGradHook {
  CountingHook(int& count, at::Tensor gradient) : calls(count), before(std::move(gradient)) {}
  void operator()(const at::Tensor& leaf) override { calls += leaf.grad().equal(before) ? 100 : 1; }
  int& calls;
  at::Tensor before;  ///< a gradient that nothing was added to
};

/// Leaves whose gradients are not zero at first, as for the second batch of an update.
struct Map {
  at::Tensor x = torch::randn({3, 5, inputs}).to(torch::kBFloat16).requires_grad_();
  at::Tensor weight = torch::randn({outputs, inputs}).requires_grad_();
  at::Tensor bias = torch::randn({outputs}).requires_grad_();
  at::Tensor bf16_weight = weight.detach().to(torch::kBFloat16);

  Map() {
    weight.mutable_grad() = torch::full({outputs, inputs}, 0.5F);
    bias.mutable_grad() = torch::full({outputs}, 0.25F);
  }
};

}  // namespace

TEST_CASE("a linear map with shared bf16 weights has the bits of one that casts its own",
          "[gradient]") {
  torch::manual_seed(2);
  const Map map;
  const auto outer = torch::randn({3, 5, outputs}).to(torch::kBFloat16);
  const auto plain =
      at::linear(map.x, map.weight.to(torch::kBFloat16), map.bias.to(torch::kBFloat16));
  plain.backward(outer);
  const auto of_x = map.x.grad().clone(), of_weight = map.weight.grad().clone();
  map.x.mutable_grad().zero_();
  map.weight.mutable_grad().fill_(0.5F);
  map.bias.mutable_grad().fill_(0.25F);

  const auto shared = bf16_linear(map.x, map.weight, map.bias, map.bf16_weight);
  shared.backward(outer);
  CHECK(test::same_bits(shared, plain));
  CHECK(test::same_bits(map.x.grad(), of_x));
  CHECK(test::same_bits(map.weight.grad(), of_weight));
  // The plain sum is rounded to bf16; this one is not.
  const auto sums = outer.to(torch::kFloat64).sum(c10::IntArrayRef({0, 1})) + 0.25;
  CHECK_THAT(map.bias.grad(), test::close_to(sums, {1e-6, 1e-6}));
}

TEST_CASE("hooks are called once when a short linear map has added its gradients", "[unit]") {
  const Map map;
  int of_weight = 0, of_bias = 0;
  torch::autograd::impl::set_post_acc_grad_hooks(
      map.weight, std::make_unique<CountingHook>(of_weight, map.weight.grad().clone()));
  torch::autograd::impl::set_post_acc_grad_hooks(
      map.bias, std::make_unique<CountingHook>(of_bias, map.bias.grad().clone()));
  bf16_linear(map.x, map.weight, map.bias, map.bf16_weight).sum().backward();
  CHECK(of_weight == 1);
  CHECK(of_bias == 1);
  bf16_linear(map.x, map.weight, {}, map.bf16_weight).sum().backward();
  CHECK(of_weight == 2);
  CHECK(of_bias == 1);
}

TEST_CASE("a short linear map refuses weights whose gradient is undefined", "[unit]") {
  Map map;
  map.weight.mutable_grad().reset();
  const auto result = bf16_linear(map.x, map.weight, map.bias, map.bf16_weight);
  CHECK_THROWS_AS(result.sum().backward(), ContractError);
}

}  // namespace dragoman::bf16_linear_test
