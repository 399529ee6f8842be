#pragma once

#include <cstdint>

namespace dragoman {

/// Largest resident memory of this process so far, in MiB.
std::int64_t peak_memory_mb();

}  // namespace dragoman
