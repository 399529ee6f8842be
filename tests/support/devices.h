#pragma once

#include "dragoman/model/transformer.h"
#include "support/remote_device.h"

#include <torch/cuda.h>
#include <torch/nn.h>

#include <vector>

namespace test {

/// The devices other than the CPU that a test runs on: a GPU, or without one an emulated device.
/// LibTorch pins memory for one kind of device alone, so that a process never has both.
inline std::vector<c10::Device> other_devices() {
  if (torch::cuda::is_available()) return {{c10::kCUDA, 0}};
  return {remote_device()};
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
