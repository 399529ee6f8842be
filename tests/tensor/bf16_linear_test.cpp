#include "dragoman/tensor/bf16_linear.h"

#include "dragoman/core/error.h"
#include "support/close.h"
#include "support/devices.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>

#include <utility>

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
  LinearMap rounded = {weight.detach().to(torch::kBFloat16), bias.detach().to(torch::kBFloat16)};

  Map() {
    weight.mutable_grad() = torch::full({outputs, inputs}, 0.5F);
    bias.mutable_grad() = torch::full({outputs}, 0.25F);
  }

  Map on(const c10::Device& device) const {
    const auto leaf = [&](const at::Tensor& own) {
      auto copy = own.detach().to(device).requires_grad_();
      if (own.grad().defined()) copy.mutable_grad() = own.grad().to(device);
      return copy;
    };
    Map copy;
    copy.x = leaf(x);
    copy.weight = leaf(weight);
    copy.bias = leaf(bias);
    copy.rounded = {rounded.weight.to(device), rounded.bias.to(device)};
    return copy;
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

  const auto shared = bf16_linear(map.x, {map.weight, map.bias}, map.rounded);
  shared.backward(outer);
  CHECK(test::same_bits(shared, plain));
  CHECK(test::same_bits(map.x.grad(), of_x));
  CHECK(test::same_bits(map.weight.grad(), of_weight));
  // The plain sum is rounded to bf16; this one is not.
  const auto sums = outer.to(torch::kFloat64).sum(c10::IntArrayRef({0, 1})) + 0.25;
  CHECK_THAT(map.bias.grad(), test::close_to(sums, {1e-6, 1e-6}));
}

TEST_CASE("a linear map of many rows is computed in pieces", "[gradient]") {
  torch::manual_seed(2);
  const Map map;
  constexpr std::int64_t rows = 300;
  const auto x = torch::randn({rows, inputs}).to(torch::kBFloat16).requires_grad_();
  const auto outer = torch::randn({rows, outputs}).to(torch::kBFloat16);
  const auto result = bf16_linear(x, {map.weight, map.bias}, map.rounded);
  result.backward(outer);
  const auto exact = [](const at::Tensor& numbers) { return numbers.detach().to(torch::kFloat64); };
  const auto weight = exact(map.rounded.weight);
  CHECK_THAT(exact(result),
             test::close_to(at::linear(exact(x), weight, exact(map.rounded.bias)), {0.01, 0.05}));
  CHECK_THAT(exact(x.grad()), test::close_to(at::mm(exact(outer), weight), {0.01, 0.05}));
  CHECK_THAT(exact(map.weight.grad()),
             test::close_to(0.5 + at::mm(exact(outer).t(), exact(x)), {0.01, 0.1}));
}

TEST_CASE("a linear map with shared bf16 weights on another device is that on the CPU",
          "[gradient]") {
  for (const auto& device : test::other_devices()) {
    CAPTURE(device.str());
    torch::manual_seed(2);
    const Map here;
    const auto there = here.on(device);
    const auto outer = torch::randn({3, 5, outputs}).to(torch::kBFloat16);
    const auto expected = bf16_linear(here.x, {here.weight, here.bias}, here.rounded);
    const auto result = bf16_linear(there.x, {there.weight, there.bias}, there.rounded);
    expected.backward(outer);
    result.backward(outer.to(device));
    const auto close = [](const at::Tensor& actual, const at::Tensor& wanted) {
      CHECK_THAT(actual.cpu().to(torch::kFloat32),
                 test::close_to(wanted.to(torch::kFloat32), {0.02, 0.02}));
    };
    close(result, expected);
    close(there.x.grad(), here.x.grad());
    close(there.weight.grad(), here.weight.grad());
    close(there.bias.grad(), here.bias.grad());
  }
}

TEST_CASE("relu within a linear map is relu of its result on each device", "[gradient]") {
  for (const auto& device : test::test_devices())
    for (const bool with_bias : {true, false}) {
      CAPTURE(device.str(), with_bias);
      torch::manual_seed(2);
      const auto apart = Map().on(device);
      torch::manual_seed(2);
      const auto within = Map().on(device);
      const auto outer = torch::randn({3, 5, outputs}).to(torch::kBFloat16).to(device);
      const auto result_of = [&](const Map& map, Epilogue epilogue) {
        if (with_bias) return bf16_linear(map.x, {map.weight, map.bias}, map.rounded, epilogue);
        return bf16_linear(map.x, {map.weight}, {map.rounded.weight}, epilogue);
      };
      const auto expected = result_of(apart, Epilogue::none).relu();
      const auto result = result_of(within, Epilogue::relu);
      expected.backward(outer);
      result.backward(outer);
      CHECK(expected.eq(0).sum().cpu().item<int>() > 0);
      for (const auto& [actual, wanted] : {std::pair{result, expected},
                                           {within.x.grad(), apart.x.grad()},
                                           {within.weight.grad(), apart.weight.grad()},
                                           {within.bias.grad(), apart.bias.grad()}})
        CHECK_THAT(actual.cpu().to(torch::kFloat32),
                   test::close_to(wanted.cpu().to(torch::kFloat32), {0.01, 0.01}));
    }
}

TEST_CASE("hooks are called once when a short linear map has added its gradients", "[unit]") {
  const Map map;
  int of_weight = 0, of_bias = 0;
  torch::autograd::impl::set_post_acc_grad_hooks(
      map.weight, std::make_unique<CountingHook>(of_weight, map.weight.grad().clone()));
  torch::autograd::impl::set_post_acc_grad_hooks(
      map.bias, std::make_unique<CountingHook>(of_bias, map.bias.grad().clone()));
  bf16_linear(map.x, {map.weight, map.bias}, map.rounded).sum().backward();
  CHECK(of_weight == 1);
  CHECK(of_bias == 1);
  bf16_linear(map.x, {map.weight}, {map.rounded.weight}).sum().backward();
  CHECK(of_weight == 2);
  CHECK(of_bias == 1);
}

TEST_CASE("a short linear map refuses weights whose gradient is undefined", "[unit]") {
  Map map;
  map.weight.mutable_grad().reset();
  const auto result = bf16_linear(map.x, {map.weight, map.bias}, map.rounded);
  CHECK_THROWS_AS(result.sum().backward(), ContractError);
}

}  // namespace dragoman::bf16_linear_test
