#include "dragoman/complexity/gradient_reach.h"

#include "support/catch.h"

#include <cmath>

namespace gradient_reach_test {

using namespace dragoman;

namespace {

constexpr LayerSizes reach_sizes{
    .length = 33, .d_model = 8, .num_heads = 2, .radius = 5, .kernel = 4};

}  // namespace

TEST_CASE("gradients reach the first position after as many layers as the formulas predict",
          "[gradient]") {
  const auto reach = measure_reach({LayerPart::attention, LayerPart::linear, LayerPart::local,
                                    LayerPart::convolution, LayerPart::recurrent, LayerPart::lstm},
                                   reach_sizes);
  const std::vector<std::int64_t> layers = {1, 1, 7, 11, 1, 1};  // ceil(32 / 5), ceil(32 / 3)
  REQUIRE(reach.parts.size() == layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    CAPTURE(name_of(reach.parts[i].part));
    CHECK(reach.parts[i].layers_computed == layers[i]);
    CHECK(reach.parts[i].layers_measured == layers[i]);
  }
}

TEST_CASE("one layer of a window or a convolution sees no further than its reach", "[gradient]") {
  const auto reach = measure_reach({LayerPart::local, LayerPart::convolution}, reach_sizes);
  const auto heard = [&](std::size_t part, std::size_t distance) {
    return reach.parts[part].gradient_norms[distance] > 0.0;
  };
  for (std::size_t distance = 0; distance < 33; ++distance) {
    CAPTURE(distance);
    CHECK(heard(0, distance) == (distance <= 5));
    CHECK(heard(1, distance) == (distance <= 3));
  }
}

TEST_CASE("the gradient of a recurrent layer decays with distance, that of attention does not",
          "[gradient]") {
  const auto reach =
      measure_reach({LayerPart::attention, LayerPart::recurrent, LayerPart::lstm}, reach_sizes);
  for (const std::size_t recurrent : {1U, 2U}) {
    const auto& norms = reach.parts[recurrent].gradient_norms;
    for (const std::size_t distance : {2U, 8U, 16U})
      CHECK(norms[2 * distance] < 0.5 * norms[distance]);
    CHECK(norms[32] < 1e-4 * norms[0]);
  }
  double mean_log = 0.0;
  const auto& flat = reach.parts[0].gradient_norms;
  for (std::size_t distance = 17; distance < 33; ++distance)
    mean_log += std::log(flat[distance] / flat[distance - 16]) / 16.0;
  CHECK(std::abs(mean_log) < 1.5);
}

TEST_CASE("a part that mixes no positions never reaches the first", "[unit]") {
  CHECK(layers_until_gradient(LayerPart::projections, reach_sizes, 3) == 0);
}

TEST_CASE("reach as text, JSON and plot names the parts and omits zero gradients", "[unit]") {
  const auto reach = measure_reach({LayerPart::local}, reach_sizes);
  CHECK_THAT(reach.text(), test::contains("local  (n-1)/r       7         7"));
  CHECK(reach.json()["parts"]["local"]["layers_measured"] == 7);
  CHECK(reach.json()["parts"]["local"]["gradient_norms"].size() == 33);
  CHECK(std::isnan(reach.plot().series[0].y[6]));
  CHECK_FALSE(std::isnan(reach.plot().series[0].y[5]));
}

}  // namespace gradient_reach_test
