#include "dragoman/train/stop_signal.h"

#include "support/catch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace stop_signal_test {

using dragoman::StopOnSignal;
using dragoman::StopSignal;

namespace {

/// The status of a process that receives these signals, one after the other, and then ends with 0.
int status_after(const std::vector<int>& signals) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGHUP, SIG_DFL);  // which may be ignored, as under nohup
    const StopSignal stop_signal;
    for (const int signal : signals) ::raise(signal);
    const int counts = signals.front() == SIGPIPE ? signals.back() : signals.front();
    ::_exit(StopSignal::received() == counts ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

bool wait_for_stop(const std::stop_token& token) {
  for (int i = 0; i < 2000 && !token.stop_requested(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return token.stop_requested();
}

}  // namespace

TEST_CASE("One signal is remembered, a second one ends the process unless the kernel repeats it",
          "[unit]") {
  for (const int first : StopSignal::signals) {
    CAPTURE(first);
    CHECK(status_after({first}) == 0);
    for (const int second : StopSignal::signals) {
      CAPTURE(second);
      const int status = status_after({first, second});
      const int end = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      const bool is_repeated = second == SIGPIPE || second == SIGXCPU;
      CHECK(end == (is_repeated || first == SIGPIPE ? 0 : second));
      if (first == SIGPIPE) CHECK(WTERMSIG(status_after({first, SIGTERM, SIGINT})) == SIGINT);
    }
  }
}

TEST_CASE("A hangup that was ignored before stays ignored", "[unit]") {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const StopSignal stop_signal;
    ::raise(SIGHUP);
    CHECK(StopSignal::received() == 0);
  }
  std::signal(SIGHUP, before);
}

TEST_CASE("A stop token is asked to stop by a signal, and only by that", "[unit]") {
  std::optional<std::stop_token> kept;
  {
    const StopSignal stop_signal;
    const StopOnSignal none;
    kept = none.token();
  }
  CHECK_FALSE(kept->stop_requested());
  const StopSignal stop_signal;
  const StopOnSignal on_signal;
  const auto token = on_signal.token();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK_FALSE(token.stop_requested());
  ::raise(SIGTERM);
  CHECK(wait_for_stop(token));
  const StopOnSignal later;
  CHECK(wait_for_stop(later.token()));
}

}  // namespace stop_signal_test
