#pragma once

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

}  // namespace dragoman
