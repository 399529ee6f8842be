#pragma once

#include <ATen/ATen.h>

#include <initializer_list>

namespace dragoman {

/// Numbers between -8 and 8, float32 on the CPU.
inline at::Tensor scattered(at::IntArrayRef sizes) { return at::rand(sizes) * 16.0 - 8.0; }

inline float* floats_of(const at::Tensor& x) { return x.mutable_data_ptr<float>(); }

inline double bytes_of(std::initializer_list<at::Tensor> tensors) {
  double bytes = 0.0;
  for (const auto& x : tensors) bytes += static_cast<double>(x.nbytes());
  return bytes;
}

}  // namespace dragoman
