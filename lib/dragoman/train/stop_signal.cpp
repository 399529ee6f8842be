#include "dragoman/train/stop_signal.h"

#include "dragoman/core/log.h"
#include "dragoman/core/thread.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string_view>

namespace dragoman {

namespace {

std::atomic<int> received_signal{0};

bool on_terminal = false, ignores_hangup = false, needs_others = false;

void handle(int number, void (*handler)(int)) {
  if (number == SIGHUP && ignores_hangup) return;
  struct sigaction action{};
  action.sa_handler = handler;
  // Meanwhile the others wait.
  sigemptyset(&action.sa_mask);
  for (const int stop : StopSignal::signals) sigaddset(&action.sa_mask, stop);
  ::sigaction(number, &action, nullptr);
}

/// Notes that nobody reads the log any more, unless another signal has come before.
void remember_broken_pipe(int number) {
  int none = 0;
  received_signal.compare_exchange_strong(none, number);
  handle(number, SIG_IGN);
}

/// Confirms the signal at once, since an update may take long. From then on a signal that the
/// kernel does not repeat has its default action, which ends the process. Calls only what a signal
/// handler may, so no stream and no lock.
void remember(int number) {
  const std::string_view notice =
      needs_others ? "dragoman: stopping; saving needs all processes to stay alive\n"
                   : "dragoman: stopping, then saving; a second signal ends without saving\n";
  constexpr std::string_view live_line_erased = "\r\033[K";
  const int kept = errno;
  for (const int stop : StopSignal::signals)
    handle(stop, stop == SIGPIPE || stop == SIGXCPU ? SIG_IGN : SIG_DFL);
  const int before = received_signal.exchange(number);
  const bool is_second = before != 0 && before != SIGPIPE;  // came on two threads at once
  if (is_second) ::raise(number);                           // takes effect after the handler
  if (!is_second && log_level() >= LogLevel::info) {
    ssize_t written = 0;
    if (on_terminal)
      written = ::write(STDERR_FILENO, live_line_erased.data(), live_line_erased.size());
    if (written >= 0) written = ::write(STDERR_FILENO, notice.data(), notice.size());
  }
  errno = kept;
}

}  // namespace

StopSignal::StopSignal(bool several) {
  needs_others = several;
  received_signal = 0;
  on_terminal = has_live_line();
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before_[i]);
    if (signals[i] == SIGHUP) ignores_hangup = before_[i].sa_handler == SIG_IGN;
    handle(signals[i], signals[i] == SIGPIPE ? remember_broken_pipe : remember);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
}

int StopSignal::received() { return received_signal; }

// Polls, since a signal handler must not ask a stop source: that may take a lock or call anything.
StopOnSignal::StopOnSignal()
    : watch_(start_thread<std::jthread>([source = source_](const std::stop_token& ended) mutable {
        constexpr std::chrono::milliseconds pause(10);
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        while (!ended.stop_requested()) {
          if (StopSignal::received() != 0) {
            source.request_stop();
            return;
          }
          never.wait_for(lock, ended, pause, [] { return false; });
        }
      })) {}

}  // namespace dragoman
