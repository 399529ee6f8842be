#include "dragoman/train/device_loss.h"

#include "support/close.h"

#include <torch/types.h>

#include <vector>

namespace dragoman::device_loss_test {

namespace {

constexpr std::int64_t classes = 11;

/// The inputs of an output layer, and its gradients.
struct OutputLayer {
  at::Tensor hidden, weight, bias;

  explicit OutputLayer(at::ScalarType type) {
    torch::manual_seed(3);
    const auto options = torch::dtype(type);
    hidden = torch::randn({7, 5}, options).requires_grad_();
    weight = torch::randn({classes, 5}, options).requires_grad_();
    bias = torch::randn({classes}, options).requires_grad_();
  }
  std::vector<at::Tensor> gradients() const { return {hidden.grad(), weight.grad(), bias.grad()}; }
};

const LabelSmoothing smoothings[] = {
    {.eps = 0.0}, {.eps = 0.1}, {.eps = 0.2, .kind = SmoothingKind::exclude, .pad = 4}};

at::Tensor targets() { return torch::tensor({3, 0, 10, 5, 5, 1, 9}, torch::kInt64); }

}  // namespace

TEST_CASE("a device's loss, sums and gradients match the reference form for any chunk size",
          "[unit][gradient]") {
  for (const auto& smoothing : smoothings)
    for (const std::int64_t largest_chunk : {1L, 3 * classes, 100 * classes}) {
      CAPTURE(smoothing.eps, largest_chunk);
      const OutputLayer plain(torch::kFloat64), own(torch::kFloat64);
      const auto expected = label_smoothed_cross_entropy(
          at::linear(plain.hidden, plain.weight, plain.bias), targets(), smoothing);
      const auto loss = device_loss({own.hidden, own.weight, own.bias}, targets(),
                                    smoothed_target(smoothing, classes), largest_chunk);
      CHECK(loss.tokens == 7);
      CHECK_THAT(loss.sum, test::close_to(expected.sum, {1e-12, 1e-12}));
      CHECK_THAT(loss.sums, test::close_to(expected.sums, {1e-12, 1e-12}));
      (expected.sum * 0.25).backward();
      (loss.sum * 0.25).backward();
      for (std::size_t i = 0; i < 3; ++i)
        CHECK_THAT(own.gradients()[i], test::close_to(plain.gradients()[i], {1e-12, 1e-12}));
    }
}

TEST_CASE("a device's loss in float32 equals that of the chunked output layer", "[unit]") {
  const OutputLayer layer(torch::kFloat32);
  const auto expected = generator_loss(layer.hidden, layer.weight, layer.bias, targets(), {});
  const auto loss = device_loss({layer.hidden, layer.weight, layer.bias}, targets(),
                                smoothed_target({}, classes), 2 * classes);
  CHECK_THAT(loss.sum, test::close_to(expected.sum, {1e-5, 1e-6}));
}

TEST_CASE("a device's loss without bias and without gradient is the same", "[unit]") {
  const OutputLayer layer(torch::kFloat64);
  const auto with =
      device_loss({layer.hidden, layer.weight}, targets(), smoothed_target({}, classes));
  const torch::NoGradGuard no_gradients;
  const auto without =
      device_loss({layer.hidden, layer.weight, torch::zeros({classes}, torch::kFloat64)}, targets(),
                  smoothed_target({}, classes));
  CHECK(with.sum.requires_grad());
  CHECK_FALSE(without.sum.requires_grad());
  CHECK(test::same_bits(with.sums, without.sums));
}

}  // namespace dragoman::device_loss_test
