#pragma once

#include "dragoman/model/transformer.h"
#include "support/remote_device.h"

#include <torch/cuda.h>
#include <torch/nn.h>

#include <vector>

namespace test {

/// The devices other than the CPU that a test can run on: one that is emulated, and a GPU if there
/// is one.
inline std::vector<c10::Device> other_devices() {
  std::vector<c10::Device> devices = {remote_device()};
  if (torch::cuda::is_available()) devices.emplace_back(c10::kCUDA, 0);
  return devices;
}

/// The same, after the CPU.
inline std::vector<c10::Device> test_devices() {
  auto devices = other_devices();
  devices.insert(devices.begin(), c10::kCPU);
  return devices;
}

/// A copy of a model with the same weights, in evaluation mode.
inline dragoman::Transformer copied_to(const c10::Device& device,
                                       const dragoman::Transformer& model) {
  dragoman::Transformer copy(model->options(), model->vocabulary());
  const auto weights = model->parameters();
  copy->to(weights.front().scalar_type());
  const torch::NoGradGuard no_gradient;
  auto copies = copy->parameters();
  for (std::size_t i = 0; i < weights.size(); ++i) copies[i].copy_(weights[i]);
  copy->to(device);
  copy->eval();
  return copy;
}

}  // namespace test
