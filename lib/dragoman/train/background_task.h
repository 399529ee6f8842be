#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

namespace dragoman {

/// A task on a thread of its own, one at a time.
class BackgroundTask {
 public:
  BackgroundTask() = default;
  /// Waits for the task; logs a warning if it failed and `finish` was not called.
  ~BackgroundTask();
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  /// Waits for the previous task, then starts `task`, which is destroyed as soon as it has ended.
  /// \throws what the previous one threw; DataError if the system refuses a thread
  void start(std::function<void()> task);

  /// Whether the task has ended and `finish` has not been called since.
  bool has_ended() const { return ended_; }

  /// Waits for the task, if there is one. \throws what it threw, once
  void finish();

 private:
  std::thread thread_;
  std::exception_ptr failure_;  ///< read after the thread is joined
  std::atomic<bool> ended_ = false;
};

}  // namespace dragoman
