#include "dragoman/tensor/relu_network.h"

#include "dragoman/tensor/dropout.h"
#include "dragoman/tensor/random_stream.h"
#include "dragoman/tensor/recompute.h"

#include "support/catch.h"
#include "support/close.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <cmath>
#include <utility>
#include <vector>

namespace relu_network_test {

using dragoman::LinearMap;

namespace {

/// A feed-forward network and its input, all of which collect gradients.
struct Network {
  at::Tensor x;
  LinearMap inner, outer;

  /// \param shift of the numbers before relu: about so many standard deviations below zero
  Network(std::int64_t d_model, std::int64_t d_ff, double shift, bool bias = true,
          std::int64_t len = 13) {
    at::manual_seed(static_cast<std::uint64_t>(d_model + d_ff));
    x = at::randn({3, len, d_model});
    inner.weight = at::randn({d_ff, d_model}) / std::sqrt(static_cast<double>(d_model));
    outer.weight = at::randn({d_model, d_ff});
    if (bias) {
      inner.bias = at::randn({d_ff}) * 0.1 - shift;
      outer.bias = at::randn({d_model});
    }
    for (auto* number : all())
      if (number->defined()) number->requires_grad_();
  }

  std::vector<at::Tensor*> all() {
    return {&x, &inner.weight, &inner.bias, &outer.weight, &outer.bias};
  }

  at::Tensor hidden() const { return at::linear(x, inner.weight, inner.bias).relu(); }
};

/// The definition, by operations that each have a gradient of their own.
at::Tensor plain(const Network& network, double dropout) {
  const auto hidden = dragoman::dropout(network.hidden(), dropout, /*training=*/true);
  return at::linear(hidden, network.outer.weight, network.outer.bias);
}

struct Computed {
  at::Tensor result;
  std::vector<at::Tensor> gradients;
};

template <typename Way>
Computed compute(Network& network, const Way& way) {
  const dragoman::RandomScope same_dropout(3);
  Computed computed{.result = way(), .gradients = {}};
  at::manual_seed(9);
  computed.result.backward(at::randn_like(computed.result));
  for (auto* number : network.all()) {
    if (!number->defined()) continue;
    computed.gradients.push_back(number->grad().clone());
    number->mutable_grad() = at::Tensor();
  }
  return computed;
}

void check_equal(Network& network, double dropout) {
  REQUIRE(suits_relu_network(network.x, network.inner, network.outer));
  const auto expected = compute(network, [&] { return plain(network, dropout); });
  const auto found = compute(
      network, [&] { return relu_network(network.x, network.inner, network.outer, dropout); });
  const test::Tolerance tolerance{1e-4, 2e-4};  // of sums of numbers up to 50
  CHECK_THAT(found.result, test::close_to(expected.result, tolerance));
  REQUIRE(found.gradients.size() == expected.gradients.size());
  for (std::size_t i = 0; i < found.gradients.size(); ++i) {
    CAPTURE(i);
    CHECK_THAT(found.gradients[i], test::close_to(expected.gradients[i], tolerance));
  }
}

}  // namespace

TEST_CASE(
    "a network of relu has the values and gradients of its operations, with many zeros or few",
    "[property]") {
  for (const auto& [d_model, d_ff] : {std::pair{16, 50}, {48, 64}, {128, 200}})
    for (const double shift : {0.0, 1.0, 1.6, 9.0})
      for (const double dropout : {0.0, 0.3}) {
        CAPTURE(d_model, d_ff, shift, dropout);
        Network network(d_model, d_ff, shift);
        check_equal(network, dropout);
      }
  Network network(32, 64, 0.0, /*bias=*/false);
  check_equal(network, 0.0);
  check_equal(network, 0.6);  // few are left after dropout, too
  Network half(32, 64, 1.6);
  half.outer.bias = at::Tensor();
  check_equal(half, 0.0);
}

TEST_CASE("a network of relu that is sparse is the same with several threads", "[property]") {
  Network network(208, 300, 1.6, /*bias=*/true, /*len=*/100);
  CHECK(network.hidden().gt(0).to(at::kFloat).mean().item<double>() < 0.2);
  const auto way = [&] { return relu_network(network.x, network.inner, network.outer, 0.1); };
  const auto expected = compute(network, way);
  const auto before = at::get_num_threads();
  at::set_num_threads(3);
  const auto found = compute(network, way);
  at::set_num_threads(before);
  // LibTorch's first product may round otherwise.
  const test::Tolerance tolerance{1e-5, 1e-3};
  CHECK_THAT(found.result, test::close_to(expected.result, tolerance));
  for (std::size_t i = 0; i < found.gradients.size(); ++i)
    CHECK_THAT(found.gradients[i], test::close_to(expected.gradients[i], tolerance));
}

TEST_CASE("frozen parameters of a network of relu get no gradient", "[unit]") {
  for (const double shift : {0.0, 1.6}) {
    Network network(32, 64, shift);
    const auto expected = compute(network, [&] { return plain(network, 0.0); });
    network.inner.weight.requires_grad_(false);
    network.outer.bias.requires_grad_(false);
    relu_network(network.x, network.inner, network.outer, 0.0).sum().backward();
    CHECK_FALSE(network.inner.weight.grad().defined());
    CHECK_FALSE(network.outer.bias.grad().defined());
    CHECK(network.inner.bias.grad().defined());
    CHECK(network.outer.weight.grad().sizes() == expected.gradients[3].sizes());
  }
}

TEST_CASE("a network of relu that is computed again for the backward pass has the same gradients",
          "[property]") {
  for (const double shift : {0.0, 1.6}) {
    Network network(32, 64, shift);
    const auto way = [&](const at::Tensor& x) {
      return relu_network(x, network.inner, network.outer, 0.2);
    };
    const auto expected = compute(network, [&] { return way(network.x); });
    const auto again = compute(network, [&] {
      return dragoman::recomputed({network.x, {}},
                                  [&](const at::Tensor& x, const at::Tensor&) { return way(x); })
          .x;
    });
    CHECK(test::same_bits(again.result, expected.result));
    for (std::size_t i = 0; i < again.gradients.size(); ++i)
      CHECK(test::same_bits(again.gradients[i], expected.gradients[i]));
  }
}

TEST_CASE("a network of relu accepts no rows", "[unit]") {
  const Network network(32, 64, 0.0);
  const auto none = network.x.detach().narrow(0, 0, 0).requires_grad_();
  const auto result = relu_network(none, network.inner, network.outer, 0.1);
  CHECK(result.sizes() == at::IntArrayRef({0, 13, 32}));
  result.sum().backward();
  CHECK(none.grad().sizes() == none.sizes());
}

TEST_CASE("other types, widths and passes without a gradient are left to the operations",
          "[unit]") {
  const Network network(16, 20, 0.0), narrow(24, 20, 0.0);
  const auto suits = [](const Network& one) {
    return dragoman::suits_relu_network(one.x, one.inner, one.outer);
  };
  CHECK(suits(network));
  CHECK_FALSE(suits(narrow));
  auto precise = network;
  precise.x = network.x.to(at::kDouble);
  CHECK_FALSE(suits(precise));
  const at::NoGradGuard no_gradient;
  CHECK_FALSE(suits(network));
}

}  // namespace relu_network_test
