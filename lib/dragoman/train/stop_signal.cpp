#include "dragoman/train/stop_signal.h"

#include "dragoman/core/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace dragoman {

namespace {

std::atomic<int> received_signal{0};

bool on_terminal = false;

/// Confirms the signal at once: an update or a validation may take long. Calls only what
/// a signal handler may, so no stream and no lock.
void remember(int number) {
  constexpr std::string_view notice =
      "dragoman: finishing this update, then saving; a second signal ends without saving\n";
  constexpr std::string_view live_line_erased = "\r\033[K";
  received_signal = number;
  if (log_level() < LogLevel::info) return;
  const int kept = errno;
  ssize_t written = 0;
  if (on_terminal)
    written = ::write(STDERR_FILENO, live_line_erased.data(), live_line_erased.size());
  if (written >= 0) written = ::write(STDERR_FILENO, notice.data(), notice.size());
  errno = kept;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // The handler runs once: the second signal has the default action, which ends the process.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  on_terminal = has_live_line();
  handle(SIGINT, remember);
  handle(SIGTERM, remember);
}

StopSignal::~StopSignal() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

int StopSignal::received() { return received_signal; }

}  // namespace dragoman
