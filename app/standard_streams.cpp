#include "standard_streams.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/unfinished_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>

namespace dragoman::app {

namespace {

extern "C" void end_quietly(int /*signal*/) {
  remove_unfinished_files();
  ::_exit(static_cast<int>(ExitCode::broken_pipe));
}

}  // namespace

void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1)  // then it is the lowest free number, which open() takes
      static_cast<void>(::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY));
}

void watch_standard_output() {
  struct sigaction action{};
  action.sa_handler = end_quietly;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGPIPE, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &action, nullptr);
  std::cout.exceptions(std::ios::badbit | std::ios::failbit);
}

bool standard_output_failed() { return !std::cout.good(); }

std::string standard_output_fault(int error_number) {
  return concat("standard output: cannot be written",
                error_number == 0 ? "" : ": " + system_error_text(error_number),
                "; what was printed is incomplete");
}

void finish_standard_output() {
  const bool failed_before = standard_output_failed();
  std::cout.exceptions(std::ios::goodbit);
  errno = 0;
  const bool flushed = static_cast<bool>(std::cout.flush()) && std::fflush(stdout) == 0;
  if (!flushed || failed_before) throw DataError(standard_output_fault(errno));
}

}  // namespace dragoman::app
