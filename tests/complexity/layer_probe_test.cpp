#include "dragoman/complexity/layer_probe.h"

#include "dragoman/core/power_fit.h"
#include "product_counter.h"
#include "support/close.h"

#include <ATen/ATen.h>

namespace layer_probe_test {

using namespace dragoman;

namespace {

/// Multiply-adds that LibTorch computed in a forward pass.
std::int64_t counted(LayerPart part, const LayerSizes& sizes) {
  const at::NoGradGuard no_gradient;
  const auto type = part == LayerPart::feed_forward ? at::kFloat : at::kDouble;
  const auto probe = make_layer_probe(part, sizes, type);
  const auto x = at::randn({1, sizes.length, sizes.d_model}, type);
  const test::ProductCounter counter;
  CHECK(probe.run(x).sizes() == x.sizes());
  return counter.multiply_adds();
}

constexpr LayerSizes counted_sizes{
    .length = 96, .d_model = 32, .num_heads = 4, .radius = 5, .kernel = 3, .d_ff = 48};

}  // namespace

TEST_CASE("the formulas match the multiply-adds that are computed", "[property]") {
  for (const auto part : layer_parts()) {
    if (part == LayerPart::local) continue;  // computes blocks larger than its windows
    CAPTURE(name_of(part));
    CHECK(counted(part, counted_sizes) == multiply_adds(part, counted_sizes));
  }
}

TEST_CASE("local attention computes little beyond its windows", "[property]") {
  const auto pairs = multiply_adds(LayerPart::local, counted_sizes);
  const auto computed = counted(LayerPart::local, counted_sizes);
  CHECK(computed >= pairs);
  CHECK(computed < 4 * pairs);
}

TEST_CASE("computed multiply-adds grow quadratically with the length for attention only",
          "[property]") {
  for (const auto part : layer_parts()) {
    MeasuredPoints points;
    for (const std::int64_t length : {128, 256, 512}) {
      auto sizes = counted_sizes;
      sizes.length = length;
      points.emplace_back(static_cast<double>(length), static_cast<double>(counted(part, sizes)));
    }
    CAPTURE(name_of(part));
    CHECK(*fitted_exponent(points) ==
          test::Approx(part == LayerPart::attention ? 2.0 : 1.0).margin(0.05));
  }
}

TEST_CASE("the convolution and recurrent layers see only the past", "[property]") {
  const at::NoGradGuard no_gradient;
  for (const auto part : {LayerPart::convolution, LayerPart::recurrent, LayerPart::lstm}) {
    const auto probe = make_layer_probe(part, counted_sizes, at::kDouble);
    const auto x = at::randn({1, 96, 32}, at::kDouble);
    auto changed = x.clone();
    changed.select(1, 50).zero_();
    const auto difference = (probe.run(x) - probe.run(changed)).abs().sum(at::IntArrayRef{0, 2});
    CAPTURE(name_of(part));
    CHECK(difference.narrow(0, 0, 50).max().item<double>() == 0.0);
    CHECK(difference[50].item<double>() > 0.0);
  }
}

TEST_CASE("self-attention costs its projections and the attention between them", "[property]") {
  const at::NoGradGuard no_gradient;
  auto sizes = counted_sizes;
  sizes.length = 300;  // beyond the fused kernel, whose products LibTorch does not see
  const auto probe = make_self_attention_probe(sizes);
  const auto x = at::randn({1, sizes.length, sizes.d_model});
  const test::ProductCounter counter;
  probe.run(x);
  CHECK(counter.multiply_adds() ==
        multiply_adds(LayerPart::attention, sizes) + multiply_adds(LayerPart::projections, sizes));
}

}  // namespace layer_probe_test
