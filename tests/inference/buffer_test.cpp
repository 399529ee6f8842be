#include "dragoman/inference/buffer.h"

#include "support/catch.h"

#include <limits>

namespace buffer_test {

TEST_CASE("a buffer that got no memory has room again for less", "[unit]") {
  dragoman::Buffer buffer;
  REQUIRE(buffer.of_size(100) != nullptr);
  constexpr auto too_many = std::numeric_limits<std::int64_t>::max() / 8;
  CHECK_THROWS_AS(buffer.of_size(too_many), std::bad_alloc);
  float* const numbers = buffer.of_size(100);
  REQUIRE(numbers != nullptr);
  CHECK(buffer.data() == numbers);
  for (int i = 0; i < 100; ++i) numbers[i] = 1.0F;
}

}  // namespace buffer_test
