#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>

namespace dragoman {

/// While an instance exists, tracks what LibTorch allocates on the CPU for this thread's
/// operations, including the backward passes it starts.
class MemoryWatch {
 public:
  MemoryWatch();
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  std::int64_t peak_bytes() const;     ///< largest total so far, beyond what was allocated before
  double peak_mb() const;              ///< the same in MiB
  std::int64_t largest_bytes() const;  ///< largest single allocation so far

 private:
  class Reporter;
  std::shared_ptr<Reporter> reporter_;
  c10::DebugInfoGuard guard_;
};

}  // namespace dragoman
