#pragma once

#include <stop_token>
#include <thread>

namespace dragoman {

/// While an instance exists, SIGINT and SIGTERM only set a flag, so that the training loop can
/// finish its step and save; a second signal ends the process at once.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// The signal that was received, or 0.
  static int received();
};

/// TEMPORARY
class StopOnSignal {
 public:
  StopOnSignal()
      : thread_([this](const std::stop_token& done) {
          while (!done.stop_requested() && StopSignal::received() == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          if (StopSignal::received() != 0) source_.request_stop();
        }) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread thread_;
};

}  // namespace dragoman
