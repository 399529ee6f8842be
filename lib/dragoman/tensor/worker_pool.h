#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dragoman {

/// Threads that run one function in parallel, each with its index. They and the whole process then
/// use that many of LibTorch's own threads: mostly none, since small operations do not amortise a
/// fork and join.
class WorkerPool {
 public:
  /// \param workers at least 1; the calling thread is worker 0
  /// \param threads of LibTorch for each worker
  /// \throws DataError if the system refuses a thread
  explicit WorkerPool(std::int64_t workers, std::int64_t threads = 1);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  std::int64_t size() const { return size_; }
  std::int64_t threads() const { return threads_each_; }  ///< of each worker

  /// Calls `task(worker)` on each worker and waits for all. \throws what the first of them threw.
  void run(const std::function<void(std::int64_t)>& task);

  /// Divides the elements of a vector among the workers: `task(begin, end)`, which must process
  /// each element independently, is bit-identical to `task(0, size)`, since parts begin at vector
  /// boundaries.
  void parallel_for(std::int64_t size, const std::function<void(std::int64_t, std::int64_t)>& task);

 private:
  void stop();
  void serve(std::int64_t worker);
  void call(std::int64_t worker);

  std::int64_t size_, threads_each_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(std::int64_t)>* task_ = nullptr;
  std::int64_t round_ = 0;
  std::int64_t running_ = 0;
  bool stop_ = false;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::thread> threads_;
};

}  // namespace dragoman
