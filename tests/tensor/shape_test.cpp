#include "dragoman/tensor/shape.h"

#include "dragoman/core/error.h"
#include "dragoman/tensor/mask.h"

#include "support/catch.h"

#include <ATen/ATen.h>

namespace shape_test {

TEST_CASE("a tensor of another shape is refused with both shapes", "[unit]") {
  const auto memory = at::zeros({2, 5, 8});
  CHECK_NOTHROW(dragoman::expect_shape("memory", memory, {"batch", "source_len", 8}));
  CHECK_THROWS_AS(dragoman::expect_shape("memory", memory, {"batch", "source_len", 16}),
                  dragoman::ContractError);
  CHECK_THROWS_WITH(dragoman::expect_shape("memory", memory, {"batch", "source_len", 16}),
                    "memory is [2, 5, 8], expected [batch, source_len, 16]");
  CHECK_THROWS_WITH(dragoman::expect_shape("ids", memory, {"batch", "len"}),
                    "ids is [2, 5, 8], expected [batch, len]");
}

TEST_CASE("an undefined tensor is refused", "[unit]") {
  CHECK_THROWS_WITH(dragoman::expect_shape("ids", {}, {"batch"}),
                    "ids is undefined, expected [batch]");
}

TEST_CASE("the causal mask shows each position itself and those before it", "[unit]") {
  const auto mask = dragoman::causal_mask(3);
  CHECK(at::equal(mask, at::tensor({1, 0, 0, 1, 1, 0, 1, 1, 1}).to(at::kBool).view({3, 3})));
}

}  // namespace shape_test
