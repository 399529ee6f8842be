#include "dragoman/complexity/layer_probe.h"

#include "product_counter.h"
#include "support/catch.h"

#include <ATen/ATen.h>

namespace linear_crossover_test {

using namespace dragoman;

namespace {

/// Multiply-adds that LibTorch computed in a forward pass over n positions.
std::int64_t computed(LayerPart part, LayerSizes sizes, std::int64_t n) {
  const at::NoGradGuard no_gradient;
  sizes.length = n;
  const auto probe = make_layer_probe(part, sizes, at::kDouble);
  const auto x = at::randn({1, n, sizes.d_model}, at::kDouble);
  const test::ProductCounter counter;
  probe.run(x);
  return counter.multiply_adds();
}

}  // namespace

TEST_CASE("linear attention computes less than softmax attention from n = d_k + 1 on, not before",
          "[property]") {
  for (const auto& [d_model, num_heads] :
       {std::pair<std::int64_t, std::int64_t>{64, 2}, {64, 1}, {96, 2}}) {
    const LayerSizes sizes{.d_model = d_model, .num_heads = num_heads};
    const auto d_k = d_model / num_heads;
    CAPTURE(d_k);
    for (std::int64_t n = 16; n <= 4 * d_k; n += 4) {
      CAPTURE(n);
      const auto linear = computed(LayerPart::linear, sizes, n);
      const auto softmax = computed(LayerPart::attention, sizes, n);
      CHECK((linear < softmax) == (n > d_k));
    }
    // Equal at n = d_k + 1/2: the sum of the keys' features is the rest.
    for (const auto n : {d_k, d_k + 1})
      CHECK(std::abs(computed(LayerPart::linear, sizes, n) -
                     computed(LayerPart::attention, sizes, n)) == n * d_model);
  }
}

}  // namespace linear_crossover_test
