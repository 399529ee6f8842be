#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace torch::nn {
class Module;
}

namespace dragoman {

/// The device with a given name: "cpu", "cuda", "cuda:1", or "auto", which is the first CUDA device
/// if there is one and the CPU otherwise. For a CUDA device, LibTorch's use of cuDNN's attention is
/// turned off.
/// \throws OptionsError if the name is unknown or the device is not available
c10::Device find_device(const std::string& name);

/// The same for a trained model that is used: "cpu", "cuda" or "cuda:1". For a CUDA device,
/// TensorFloat-32 is turned off, too.
/// \param place of the name in messages: "--device"
c10::Device find_inference_device(const std::string& place, const std::string& name);

/// The device of a model's weights.
c10::Device device_of(const torch::nn::Module& model);

/// The number of its parameters.
std::int64_t parameters_in(const torch::nn::Module& model);

/// A copy of the numbers on a device, [count] int64. The host does not wait for a GPU's other work.
at::Tensor numbers_on(const c10::Device& device, std::span<const std::int64_t> numbers);

/// All devices that LibTorch sees: "cpu: 2 cores, AVX2", "cuda:0".
std::vector<std::string> device_descriptions();

}  // namespace dragoman
