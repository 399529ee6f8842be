#include "dragoman/config/device_name.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

namespace device_name_test {

using dragoman::expect_inference_device_name;
using dragoman::is_device_name;

TEST_CASE("devices are called auto, cpu, cuda or cuda:N", "[unit]") {
  for (const char* name : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"}) CHECK(is_device_name(name));
  for (const char* name :
       {"", "gpu", "cuda:", "cuda:x", "cuda:100", "cuda0", "CPU", "cpu:0", "cuda:-1"})
    CHECK_FALSE(is_device_name(name));
}

TEST_CASE("a model is used on a device that is named", "[unit]") {
  for (const char* name : {"cpu", "cuda", "cuda:3"})
    CHECK_NOTHROW(expect_inference_device_name("--device", name));
  for (const std::string name : {"auto", "gpu", ""})
    CHECK_THROWS_WITH(expect_inference_device_name("--device", name),
                      test::contains("--device: \"" + name +
                                     "\" is not a device that a model can be used on; choose cpu, "
                                     "cuda or cuda:N with N from 0 to 99"));
}

}  // namespace device_name_test
