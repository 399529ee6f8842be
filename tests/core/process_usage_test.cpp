#include "dragoman/core/process_usage.h"

#include "support/catch.h"

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

}  // namespace process_usage_test
