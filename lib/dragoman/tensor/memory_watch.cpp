#include "dragoman/tensor/memory_watch.h"

#include "dragoman/core/quantity.h"

#include <c10/core/Allocator.h>

#include <algorithm>

namespace dragoman {

/// What LibTorch's allocator calls for a thread that has one.
class MemoryWatch::Reporter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t change, std::size_t, std::size_t,
                         c10::Device device) override {
    if (!device.is_cpu()) return;
    now += change;
    peak = std::max(peak, now);
    largest = std::max(largest, change);
  }
  bool memoryProfilingEnabled() const override { return true; }

  std::int64_t now = 0, peak = 0, largest = 0;
};

MemoryWatch::MemoryWatch()
    : reporter_(std::make_shared<Reporter>()),
      guard_(c10::DebugInfoKind::PROFILER_STATE, reporter_) {}

MemoryWatch::~MemoryWatch() = default;

std::int64_t MemoryWatch::peak_bytes() const { return reporter_->peak; }

double MemoryWatch::peak_mb() const { return static_cast<double>(peak_bytes()) / mebibyte; }
std::int64_t MemoryWatch::largest_bytes() const { return reporter_->largest; }

}  // namespace dragoman
