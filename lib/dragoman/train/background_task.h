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
  /// Waits for the task; if it failed and nobody asked, the log warns.
  ~BackgroundTask();
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  /// Begins `task`, which is destroyed when it ends, after the end of the one before.
  /// \throws what the one before threw; DataError if the system refuses a thread
  void start(std::function<void()> task);

  /// Whether a task has ended that `finish` was not called for since.
  bool has_ended() const { return ended_; }

  /// Waits for the task, if there is one. \throws what it threw, once
  void finish();

 private:
  std::thread thread_;
  std::exception_ptr failure_;  ///< read after the thread is joined
  std::atomic<bool> ended_ = false;
};

}  // namespace dragoman
