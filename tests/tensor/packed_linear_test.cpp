#include "dragoman/tensor/packed_linear.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/devices.h"

#include <torch/types.h>

namespace dragoman::packed_linear_test {

TEST_CASE("packing and its products refuse tensors that are not on the CPU", "[unit]") {
  const auto weight = torch::randn({24, 16}), bias = torch::randn({24}), x = torch::randn({3, 16});
  for (const auto& device : test::other_devices())
    for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8}) {
      CAPTURE(device.str());
      const auto refusal =
          test::contains("packed product: a tensor of " + device.str() + ", not the CPU");
      CHECK_THROWS_WITH(PackedLinear(weight.to(device), bias, type), refusal);
      CHECK_THROWS_WITH(PackedLinear(weight, bias.to(device), type), refusal);
      CHECK_THROWS_AS(PackedLinear(weight.to(device), {}, type), ContractError);
      const PackedLinear packed(weight, bias, type);
      CHECK_THROWS_WITH(packed.multiply(x.to(device)), refusal);
      CHECK(packed.multiply(x).sizes() == at::IntArrayRef({3, 24}));
    }
}

}  // namespace dragoman::packed_linear_test
