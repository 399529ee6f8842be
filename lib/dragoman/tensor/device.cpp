#include "dragoman/tensor/device.h"

#include "dragoman/core/error.h"
#include "dragoman/core/machine.h"

#include <ATen/Version.h>
#include <ATen/core/Tensor.h>
#include <torch/cuda.h>

#include <regex>

namespace dragoman {

c10::Device find_device(const std::string& name) {
  const auto cuda_devices = torch::cuda::is_available() ? torch::cuda::device_count() : 0;
  if (name == "cpu" || (name == "auto" && cuda_devices == 0)) return c10::kCPU;
  if (name == "auto") return {c10::kCUDA, 0};
  std::smatch parts;
  if (!std::regex_match(name, parts, std::regex("cuda(:([0-9]{1,3}))?")))
    throw OptionsError(
        concat("train.device: \"", name, "\" is not a device; use auto, cpu, cuda or cuda:N"));
  const int index = parts[2].matched ? std::stoi(parts[2].str()) : 0;
  if (index >= static_cast<int>(cuda_devices))
    throw OptionsError(concat("train.device: \"", name, "\" is not available (", cuda_devices,
                              " CUDA devices found); use cpu or auto"));
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

std::vector<std::string> device_descriptions() {
  std::vector<std::string> lines{
      concat("cpu: ", available_cores(), " cores, ", at::get_cpu_capability())};
  if (torch::cuda::is_available())
    for (std::size_t i = 0; i < static_cast<std::size_t>(torch::cuda::device_count()); ++i)
      lines.push_back(concat("cuda:", i));
  return lines;
}

std::int64_t worker_count(const c10::Device& device, std::int64_t asked) {
  if (!device.is_cpu()) return 1;
  return asked > 0 ? asked : available_cores();
}

}  // namespace dragoman
