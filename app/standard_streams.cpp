#include "standard_streams.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>

namespace dragoman::app {

namespace {

extern "C" void end_quietly(int /*signal*/) {
  ::_exit(static_cast<int>(ExitCode::broken_pipe));
}

}  // namespace

void watch_standard_output() {
  struct sigaction action {};
  action.sa_handler = end_quietly;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGPIPE, &action, nullptr);
  std::cout.exceptions(std::ios::badbit | std::ios::failbit);
}

void finish_standard_output() {
  const bool failed_before = !std::cout.good();
  errno = 0;
  std::cout.exceptions(std::ios::goodbit);
  const bool flushed = static_cast<bool>(std::cout.flush()) && std::fflush(stdout) == 0;
  if (flushed && !failed_before) return;
  throw DataError(concat("standard output: cannot be written",
                         errno == 0 ? "" : ": " + system_error_text(errno),
                         "; what was printed is incomplete"));
}

}  // namespace dragoman::app
