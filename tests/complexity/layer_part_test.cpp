#include "dragoman/complexity/layer_part.h"

#include "support/shared.h"

#include <cstdlib>

namespace layer_part_test {

using namespace dragoman;

namespace {

LayerSizes sizes_of(std::int64_t length, std::int64_t d_model) {
  return {.length = length, .d_model = d_model, .num_heads = 1, .d_ff = 4 * d_model};
}

}  // namespace

TEST_CASE("attention equals its projections at n = 2d, a simple recurrent layer at n = d",
          "[unit]") {
  for (const std::int64_t d : {64, 512}) {
    auto sizes = sizes_of(1, d);
    sizes.length = core_equals_projections(sizes);
    CHECK(sizes.length == 2 * d);
    CHECK(multiply_adds(LayerPart::attention, sizes) ==
          multiply_adds(LayerPart::projections, sizes));
    sizes.length = core_equals_recurrent(sizes);
    CHECK(sizes.length == d);
    CHECK(multiply_adds(LayerPart::attention, sizes) == multiply_adds(LayerPart::recurrent, sizes));
  }
}

TEST_CASE("with its projections attention always needs more than a simple recurrent layer",
          "[property]") {
  for (const std::int64_t n : {1, 10, 100, 1000, 10000})
    for (const std::int64_t d : {8, 512, 4096}) {
      const auto sizes = sizes_of(n, d);
      CHECK(multiply_adds(LayerPart::attention, sizes) +
                multiply_adds(LayerPart::projections, sizes) >
            multiply_adds(LayerPart::recurrent, sizes));
    }
}

TEST_CASE("windows count only pairs inside the sequence", "[unit]") {
  const auto pairs = [](std::int64_t length, std::int64_t radius) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < length; ++i)
      for (std::int64_t j = 0; j < length; ++j) count += std::abs(i - j) <= radius ? 1 : 0;
    return count;
  };
  for (const std::int64_t radius : {1, 3, 8, 9, 20}) {
    CAPTURE(radius);
    const LayerSizes sizes{.length = 9, .d_model = 4, .radius = radius};
    CHECK(multiply_adds(LayerPart::local, sizes) == 2 * 4 * pairs(9, radius));
  }
}

TEST_CASE("path lengths are 1, n, or the distance divided by a layer's reach", "[unit]") {
  const LayerSizes sizes{.length = 65, .radius = 6, .kernel = 4};
  CHECK(path_length(LayerPart::attention, sizes) == 1);
  CHECK(path_length(LayerPart::linear, sizes) == 1);
  CHECK(path_length(LayerPart::local, sizes) == 11);        // ceil(64 / 6)
  CHECK(path_length(LayerPart::convolution, sizes) == 22);  // ceil(64 / 3)
  CHECK(path_length(LayerPart::lstm, sizes) == 65);
  CHECK(layers_to_span_sequence(LayerPart::lstm, sizes) == 1);
  CHECK(sequential_steps(LayerPart::recurrent, sizes) == 65);
  CHECK(sequential_steps(LayerPart::attention, sizes) == 1);
}

}  // namespace layer_part_test
