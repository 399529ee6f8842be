#include "dragoman/train/stop_signal.h"

#include <atomic>
#include <csignal>

namespace dragoman {

namespace {

std::atomic<int> received_signal{0};

void remember(int number) {
  received_signal = number;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // The handler runs once: the second signal has the default action, which ends the process.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  handle(SIGINT, remember);
  handle(SIGTERM, remember);
}

StopSignal::~StopSignal() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

int StopSignal::received() { return received_signal; }

}  // namespace dragoman
