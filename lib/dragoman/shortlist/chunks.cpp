#include "dragoman/shortlist/chunks.h"

#include "dragoman/core/thread.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dragoman {

void for_chunks(std::size_t count, std::size_t grain, std::int64_t threads,
                const std::function<void(std::size_t begin, std::size_t end)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&] {
    try {
      for (auto begin = next.fetch_add(grain); begin < count; begin = next.fetch_add(grain))
        work(begin, std::min(begin + grain, count));
    } catch (...) {
      next = count;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    const auto chunks = static_cast<std::int64_t>((count + grain - 1) / grain);
    try {
      for (std::int64_t i = 1; i < std::min(threads, chunks); ++i)
        others.push_back(start_thread<std::jthread>(run));
    } catch (...) {
      next = count;
      throw;
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dragoman
