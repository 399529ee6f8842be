#include "dragoman/tensor/thread_count.h"

#include "support/catch.h"

#include <ATen/Parallel.h>

#include <thread>

namespace thread_count_test {

using dragoman::ThreadCount;

namespace {

int threads_of_a_new_thread() {
  int threads = 0;
  std::jthread([&threads] { threads = at::get_num_threads(); }).join();
  return threads;
}

}  // namespace

TEST_CASE("a thread count is for its own thread and its own lifetime", "[unit]") {
  const auto before = at::get_num_threads(), elsewhere = threads_of_a_new_thread();
  {
    const ThreadCount outer(3);
    CHECK(at::get_num_threads() == 3);
    {
      const ThreadCount inner(1);
      CHECK(at::get_num_threads() == 1);
      CHECK(threads_of_a_new_thread() == elsewhere);
    }
    CHECK(at::get_num_threads() == 3);
  }
  CHECK(at::get_num_threads() == before);
  CHECK(threads_of_a_new_thread() == elsewhere);
}

}  // namespace thread_count_test
