#include "dragoman/train/background_task.h"

#include "dragoman/core/log.h"
#include "dragoman/core/thread.h"

#include <utility>

namespace dragoman {

BackgroundTask::~BackgroundTask() {
  try {
    finish();
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

void BackgroundTask::start(std::function<void()> task) {
  finish();
  thread_ = start_thread<std::thread>([this, task = std::move(task)]() mutable {
    try {
      task();
    } catch (...) {
      failure_ = std::current_exception();
    }
    task = nullptr;  // frees what it holds before anybody waits for the thread
    ended_ = true;
  });
}

void BackgroundTask::finish() {
  if (thread_.joinable()) thread_.join();
  ended_ = false;
  if (const auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

}  // namespace dragoman
