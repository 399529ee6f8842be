#include "dragoman/tensor/worker_pool.h"

#include "dragoman/core/thread.h"
#include "dragoman/tensor/vector_math.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>

namespace dragoman {

WorkerPool::WorkerPool(std::int64_t workers, std::int64_t threads)
    : size_(workers), threads_each_(threads), failures_(static_cast<std::size_t>(workers)) {
  // LibTorch ends the process if one is refused.
  if (threads > 1) expect_threads(workers * (threads - 1));
  at::set_num_threads(static_cast<int>(threads));
  initialise_vector_math();
  try {
    for (std::int64_t worker = 1; worker < size_; ++worker)
      threads_.push_back(start_thread<std::thread>([this, worker] { serve(worker); }));
  } catch (...) {
    stop();
    throw;
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void WorkerPool::run(const std::function<void(std::int64_t)>& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    running_ = size_ - 1;
    ++round_;
  }
  changed_.notify_all();
  call(0);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return running_ == 0; });
  task_ = nullptr;
  std::exception_ptr first;
  for (auto& failure : failures_) {
    const auto thrown = std::exchange(failure, nullptr);
    if (!first) first = thrown;
  }
  if (first) std::rethrow_exception(first);
}

void WorkerPool::parallel_for(std::int64_t size,
                              const std::function<void(std::int64_t, std::int64_t)>& task) {
  constexpr std::int64_t grain = 64;
  const auto part = (size / size_ + grain - 1) / grain * grain;
  run([&](std::int64_t worker) {
    const auto begin = std::min(size, worker * part);
    const auto end = worker + 1 == size_ ? size : std::min(size, begin + part);
    if (begin < end) task(begin, end);
  });
}

void WorkerPool::serve(std::int64_t worker) {
  at::init_num_threads();
  for (std::int64_t done = 0;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || round_ > done; });
    if (stop_) return;
    done = round_;
    lock.unlock();
    call(worker);
    lock.lock();
    --running_;
    lock.unlock();
    changed_.notify_all();
  }
}

void WorkerPool::call(std::int64_t worker) {
  try {
    (*task_)(worker);
  } catch (...) {
    failures_[static_cast<std::size_t>(worker)] = std::current_exception();
  }
}

}  // namespace dragoman
