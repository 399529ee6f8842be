#include "dragoman/run/quantized.h"

#include "dragoman/core/error.h"

#include "support/close.h"

#include <ATen/ATen.h>

namespace quantized_test {

using namespace dragoman;

namespace {

NamedTensors some_weights() {
  at::manual_seed(2);
  auto matrix = at::randn({5, 40});
  matrix.select(0, 3).zero_();
  return {{"m", matrix}, {"v", at::randn({7})}, {"none", at::zeros({0, 4})}};
}

}  // namespace

TEST_CASE("int8 weights are within half a step of each row's scale", "[property]") {
  const auto weights = some_weights();
  const auto packed = quantized(weights, WeightType::int8);
  CHECK(packed.at("m").scalar_type() == at::kChar);
  CHECK(packed.at("v").equal(weights.at("v")));
  CHECK(packed.at("m").abs().amax(1).select(0, 0).item<int>() == 127);
  const auto again = dequantized(packed, "x");
  CHECK(again.size() == weights.size());
  const auto error = (again.at("m") - weights.at("m")).abs();
  const auto step = weights.at("m").abs().amax(1, true) / 127.0;
  CHECK((error <= 0.5001 * step).all().item<bool>());
  CHECK(again.at("m").select(0, 3).abs().sum().item<float>() == 0.0F);
}

TEST_CASE("quantising twice changes nothing", "[property]") {
  for (const auto type : {WeightType::int8, WeightType::bf16}) {
    const auto once = quantized(some_weights(), type);
    const auto twice = quantized(dequantized(once, "x"), type);
    for (const auto& [name, tensor] : once)
      if (!tensor.is_floating_point() || type == WeightType::bf16)
        CHECK(twice.at(name).equal(tensor));
  }
}

TEST_CASE("float32 is left unchanged", "[unit]") {
  const auto weights = some_weights();
  const auto same = quantized(weights, WeightType::float32);
  for (const auto& [name, tensor] : weights) CHECK(same.at(name).is_same(tensor));
}

TEST_CASE("int8 weights without their scales are refused by name", "[unit]") {
  auto packed = quantized(some_weights(), WeightType::int8);
  packed["m.row_scale"] = at::ones({4});
  CHECK_THROWS_WITH(dequantized(packed, "f"),
                    test::contains("f: tensor m: is int8 without a float32 scale"));
  packed.erase("m.row_scale");
  CHECK_THROWS_AS(dequantized(packed, "f"), FormatError);
}

}  // namespace quantized_test
