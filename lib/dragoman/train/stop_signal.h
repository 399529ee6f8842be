#pragma once

#include <array>
#include <csignal>
#include <stop_token>
#include <thread>

namespace dragoman {

/// While an instance exists, the first of its signals only sets a flag, so that the training can
/// stop and save; a second signal ends the process at once. SIGPIPE, of a log that nobody reads any
/// more, and SIGXCPU are repeated by the kernel, and never end it. SIGPIPE does not count as the
/// first signal, either, since Ctrl-C also ends what a log is piped to. SIGHUP stays ignored where
/// it is, as under nohup.
class StopSignal {
 public:
  static constexpr std::array signals{SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU, SIGHUP, SIGPIPE};

  /// \param several whether other processes train, too: what this one saves needs them
  explicit StopSignal(bool several = false);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// The signal that was received, or 0.
  static int received();

 private:
  std::array<struct sigaction, signals.size()> before_{};
};

/// Passes a received StopSignal on to work that takes a stop token, within 20 ms.
class StopOnSignal {
 public:
  /// \throws DataError if the system refuses the thread that watches
  StopOnSignal();

  /// Asked to stop once `StopSignal::received()` is not 0; it may be kept after this object's end.
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watch_;  ///< its destructor requests a stop and joins
};

}  // namespace dragoman
