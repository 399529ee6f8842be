#include "dragoman/translate/workers.h"

#include "dragoman/core/thread.h"
#include "dragoman/tensor/thread_count.h"
#include "dragoman/tensor/vector_math.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dragoman {

void run_on_workers(std::int64_t workers, std::int64_t tasks,
                    const std::function<void(std::int64_t)>& task, std::int64_t threads_each) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      const ThreadCount own_threads(static_cast<int>(threads_each));
      const c10::InferenceMode inference;
      for (std::int64_t i = next++; i < tasks; i = next++) task(i);
    } catch (...) {
      next = tasks;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  initialise_vector_math();
  const auto running = std::min(workers, tasks);
  // LibTorch ends the process if the system refuses it a thread.
  if (threads_each > 1) expect_threads(running * threads_each);
  {
    std::vector<std::jthread> threads;
    try {
      for (std::int64_t worker = 1; worker < running; ++worker)
        threads.push_back(start_thread<std::jthread>(work));
    } catch (...) {
      next = tasks;  // running workers start no further task
      throw;
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dragoman
