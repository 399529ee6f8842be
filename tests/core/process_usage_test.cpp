#include "dragoman/core/process_usage.h"

#include "support/catch.h"
#include "support/skip.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <ctime>
#include <thread>

namespace process_usage_test {

namespace {

constexpr double busy_seconds = 0.05;

/// Computes until this process has used `busy_seconds` more.
void compute() {
  const auto end = std::clock() + static_cast<std::clock_t>(busy_seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
}

}  // namespace

TEST_CASE("a thread's CPU time is its own, the process's that of all threads", "[unit]") {
  const auto thread_before = dragoman::thread_cpu_seconds(),
             process_before = dragoman::process_cpu_seconds();
  std::thread(compute).join();
  CHECK(dragoman::thread_cpu_seconds() - thread_before < 0.5 * busy_seconds);
  CHECK(dragoman::process_cpu_seconds() - process_before > 0.9 * busy_seconds);
  compute();
  const auto of_thread = dragoman::thread_cpu_seconds() - thread_before;
  CHECK(of_thread > 0.9 * busy_seconds);
  CHECK(of_thread < 1.5 * busy_seconds);
}

TEST_CASE("a peak of memory that begins again is without what was used before", "[unit]") {
  constexpr std::size_t size = 64 << 20;
  // Not from the allocator, which may keep what is freed.
  auto* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::memset(memory, 1, size);
  ::munmap(memory, size);
  const auto before = dragoman::peak_memory_mb();
  if (!dragoman::restart_peak_memory()) return test::skip("the system does not allow it");
  CHECK(dragoman::peak_memory_mb() < before - 32);
}

}  // namespace process_usage_test
