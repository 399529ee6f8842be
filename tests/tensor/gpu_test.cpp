#include "support/devices.h"
#include "support/skip.h"

#include "support/catch.h"

namespace gpu_test {

TEST_CASE("the tests of devices have run on a GPU", "[unit]") {
  if (!torch::cuda::is_available())
    return test::skip("no GPU here: the tests of devices have run on the emulated one alone");
  CHECK(test::other_devices().back().is_cuda());
}

}  // namespace gpu_test
