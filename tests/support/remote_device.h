#pragma once

#include <c10/core/Device.h>

namespace test {

/// A device of its own in the memory of the host (LibTorch's PrivateUse1), for tests of code that
/// runs on a GPU. Each operation is computed by the CPU on copies, and fails if one of its tensors
/// is on another device, as on a GPU. What it stores is inverted, bit by bit, so that code that
/// reads its memory without a copy gets nonsense.
c10::Device remote_device();

}  // namespace test
