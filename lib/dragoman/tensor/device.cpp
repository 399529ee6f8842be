#include "dragoman/tensor/device.h"

#include "dragoman/config/device_name.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/quantity.h"
#include "dragoman/tensor/tf32.h"

#include <ATen/ATen.h>
#include <ATen/Version.h>
#include <torch/cuda.h>
#include <torch/nn/module.h>

namespace dragoman {

namespace {

std::int64_t cuda_device_count() {
  return torch::cuda::is_available() ? static_cast<std::int64_t>(torch::cuda::device_count()) : 0;
}

/// \param name "cuda" or "cuda:1"
/// \param instead what else to use
c10::Device cuda_device(const std::string& place, const std::string& name, const char* instead) {
  const auto index = name.size() > 5 ? std::stoi(name.substr(5)) : 0;
  const auto found = cuda_device_count();
  if (index >= found)
    throw OptionsError(concat(place, ": \"", name, "\" is not available (",
                              counted(found, "CUDA device"), " found); use ", instead));
  // cuDNN's attention, which LibTorch prefers on Hopper and later, builds a plan for each new
  // shape, and so for each length: tens of milliseconds or more, and never freed.
  at::globalContext().setSDPUseCuDNN(false);
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace

c10::Device device_of(const torch::nn::Module& model) {
  return model.parameters().front().device();
}

std::int64_t parameters_in(const torch::nn::Module& model) {
  std::int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  return count;
}

c10::Device find_device(const std::string& name) {
  if (!is_device_name(name))
    throw OptionsError(
        concat("train.device: \"", name, "\" is not a device; use auto, cpu, cuda or cuda:N"));
  if (name == "cpu" || (name == "auto" && cuda_device_count() == 0)) return c10::kCPU;
  return cuda_device("train.device", name == "auto" ? "cuda" : name, "cpu or auto");
}

c10::Device find_inference_device(const std::string& place, const std::string& name) {
  expect_inference_device_name(place, name);
  if (name == "cpu") return c10::kCPU;
  const auto device = cuda_device(
      place, name, "cpu, or a machine with an NVIDIA GPU and a LibTorch built for CUDA");
  choose_tf32(false, device);  // LibTorch's default for convolutions and LSTMs is true
  return device;
}

at::Tensor numbers_on(const c10::Device& device, std::span<const std::int64_t> numbers) {
  return at::tensor(at::IntArrayRef(numbers.data(), numbers.size()), at::kLong)
      .to(device, /*non_blocking=*/true);
}

std::vector<std::string> device_descriptions() {
  std::vector<std::string> lines{
      concat("cpu: ", available_cores(), " cores, ", at::get_cpu_capability())};
  if (torch::cuda::is_available())
    for (std::size_t i = 0; i < static_cast<std::size_t>(torch::cuda::device_count()); ++i)
      lines.push_back(concat("cuda:", i));
  return lines;
}

}  // namespace dragoman
