#pragma once

#include <c10/core/Device.h>

namespace dragoman {

/// \throws OptionsError if `wanted` and the device is the CPU, which has no such products
void expect_tf32(bool wanted, const c10::Device& device);

/// Decides whether this process's float32 products on GPUs round their factors to TensorFloat-32:
/// the range of float32 with 10 bits of fraction instead of 23, several times as fast.
/// \param device that computes
/// \throws OptionsError as `expect_tf32`
void choose_tf32(bool wanted, const c10::Device& device);

}  // namespace dragoman
