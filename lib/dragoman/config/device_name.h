#pragma once

#include <string>
#include <string_view>

namespace dragoman {

/// Whether a device is called so: auto, cpu, cuda, or cuda:N with N from 0 to 99.
bool is_device_name(std::string_view name);

/// Checks the name of the device that a trained model is used on: cpu, cuda or cuda:N. Whether
/// there is such a device, LibTorch knows.
/// \param place of the name: "--device"
/// \throws OptionsError if it is another one
void expect_inference_device_name(const std::string& place, const std::string& name);

}  // namespace dragoman
