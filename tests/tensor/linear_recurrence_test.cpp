#include "dragoman/tensor/linear_recurrence.h"

#include "support/close.h"
#include "support/devices.h"

#include <torch/nn.h>

namespace linear_recurrence_test {

using dragoman::linear_recurrence;

namespace {

at::Tensor step_by_step(const at::Tensor& factor, const at::Tensor& addend) {
  std::vector<at::Tensor> states{addend.select(1, 0)};
  for (std::int64_t t = 1; t < factor.size(1); ++t)
    states.push_back(factor.select(1, t) * states.back() + addend.select(1, t));
  return at::stack(states, 1);
}

}  // namespace

TEST_CASE("a linear recurrence and its gradients are those of a loop over the steps", "[unit]") {
  for (const auto& device : test::test_devices())
    for (const std::int64_t len : {1, 2, 7}) {
      CAPTURE(device.str(), len);
      const auto on = torch::TensorOptions(torch::kFloat).device(device);
      const auto factor = torch::rand({3, len, 5}).to(on.device()),
                 addend = torch::randn({3, len, 5}).to(on.device()),
                 weight = torch::randn({3, len, 5}).to(on.device());
      const auto gradients = [&](const auto& recur) {
        const auto f = factor.detach().clone().requires_grad_(),
                   a = addend.detach().clone().requires_grad_();
        const auto result = recur(f, a);
        (result * weight).sum().backward();
        // A sentence of one token has no factor.
        return std::vector{result.detach(), f.grad().defined() ? f.grad() : torch::zeros_like(f),
                           a.grad()};
      };
      const auto found = gradients(linear_recurrence), expected = gradients(step_by_step);
      for (std::size_t i = 0; i < found.size(); ++i)
        CHECK_THAT(found[i].cpu(), test::close_to(expected[i].cpu()));
    }
}

TEST_CASE("a linear recurrence reads strided tensors, and none at all", "[unit]") {
  const auto factor = torch::rand({5, 4, 3}, torch::kDouble).transpose(0, 2),
             addend = torch::randn({5, 4, 3}, torch::kDouble).transpose(0, 2);
  CHECK_THAT(linear_recurrence(factor, addend), test::close_to(step_by_step(factor, addend)));
  const auto none = torch::zeros({2, 0, 3}).requires_grad_();
  linear_recurrence(none, none).sum().backward();
  CHECK(none.grad().sizes() == none.sizes());
}

}  // namespace linear_recurrence_test
