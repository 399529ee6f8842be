#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// The device a name asks for: "cpu", "cuda", "cuda:1", or "auto", which is the first CUDA device
/// where there is one and the CPU elsewhere.
/// \throws OptionsError if the name means nothing or the device is not here
c10::Device find_device(const std::string& name);

/// Every device LibTorch sees, for people: "cpu: 2 threads, AVX512", "cuda:0: ..., 139.8 GiB".
std::vector<std::string> device_descriptions();

/// Processors this process may run on.
std::int64_t available_cores();

/// Workers for `asked` (0 = all cores on a CPU, one on a GPU).
std::int64_t worker_count(const c10::Device& device, std::int64_t asked);

}  // namespace dragoman
