#include "dragoman/core/process_usage.h"

#include <sys/resource.h>

namespace dragoman {

std::int64_t peak_memory_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

}  // namespace dragoman
