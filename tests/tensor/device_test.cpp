#include "dragoman/tensor/device.h"

#include "dragoman/core/error.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/tf32.h"
#include "support/close.h"
#include "support/devices.h"
#include "support/skip.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

namespace device_test {

using dragoman::find_inference_device;
using dragoman::OptionsError;

TEST_CASE("a device that is not there is refused with what to use instead", "[unit]") {
  CHECK(find_inference_device("--device", "cpu").is_cpu());
  CHECK_THROWS_AS(find_inference_device("--device", "auto"), OptionsError);
  CHECK_THROWS_WITH(find_inference_device("--device", "cuda:99"),
                    test::contains("--device: \"cuda:99\" is not available ("));
  CHECK_THROWS_WITH(find_inference_device("--device", "cuda:99"),
                    test::contains("found); use cpu, or a machine with an NVIDIA GPU "
                                   "and a LibTorch built for CUDA"));
  CHECK_THROWS_WITH(dragoman::find_device("cuda:99"),
                    test::contains("train.device: \"cuda:99\" is not available ("));
}

TEST_CASE("TensorFloat-32 is refused on the CPU and changes nothing there", "[unit]") {
  const bool before = at::globalContext().allowTF32CuBLAS();
  CHECK_NOTHROW(dragoman::choose_tf32(false, c10::kCPU));
  CHECK_THROWS_WITH(dragoman::choose_tf32(true, c10::kCPU),
                    test::contains("train.tf32: true is for products on a GPU"));
  CHECK(at::globalContext().allowTF32CuBLAS() == before);
}

TEST_CASE("TensorFloat-32 is on or off as was chosen last", "[unit]") {
  const auto device = test::other_devices().front();
  dragoman::choose_tf32(true, device);
  CHECK(at::globalContext().allowTF32CuBLAS());
  dragoman::choose_tf32(false, device);
  CHECK_FALSE(at::globalContext().allowTF32CuBLAS());
}

TEST_CASE("beside autocast, recurrences on another device are computed in float32", "[unit]") {
  for (const auto& device : test::other_devices()) {
    CAPTURE(device.str());
    const auto x = at::ones({2}, at::kBFloat16).to(device);
    const dragoman::Autocast autocast(device, dragoman::Precision::bf16);
    {
      const dragoman::RecurrenceInSupportedType recurrence(device);
      CHECK_FALSE(at::autocast::is_autocast_enabled(device.type()));
      CHECK(recurrence.input(x).scalar_type() == at::kFloat);
    }
    CHECK(at::autocast::is_autocast_enabled(device.type()));
  }
}

TEST_CASE("the emulated device computes as the CPU does and refuses tensors that are elsewhere",
          "[unit]") {
  if (torch::cuda::is_available()) return test::skip("a GPU takes the emulated device's place");
  const auto remote = test::remote_device();
  const auto x = at::randn({3, 4});
  const auto there = x.to(remote);
  CHECK(there.device() == remote);
  CHECK(test::same_bits(there.cpu(), x));
  CHECK(test::same_bits((there + there).cpu(), x + x));
  CHECK_THROWS(there + x);
  CHECK_THROWS(there.index_select(0, at::tensor({0})));
  auto part = there.narrow(0, 1, 1);
  part.fill_(2.0);
  CHECK(there[1][3].item<float>() == 2.0F);
  const auto* raw = there.const_data_ptr<float>();
  CHECK_FALSE(raw[4] == 2.0F);
}

}  // namespace device_test
