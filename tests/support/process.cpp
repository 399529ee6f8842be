#include "support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

namespace test {

namespace {

struct Pipe {
  int ends[2];
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  }
  void close(int end) {
    if (ends[end] >= 0) ::close(std::exchange(ends[end], -1));
  }
  ~Pipe() { close(0), close(1); }
};

[[noreturn]] void become(const std::vector<std::string>& command, const ProcessInput& input,
                         Pipe (&pipes)[3]) {
  ::dup2(pipes[0].ends[0], 0);
  ::dup2(pipes[1].ends[1], 1);
  ::dup2(pipes[2].ends[1], 2);
  if (!input.directory.empty() && ::chdir(input.directory.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : input.variables) ::setenv(name.c_str(), value.c_str(), 1);
  execute(command);
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

void execute(const std::vector<std::string>& command) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  std::vector<char*> arguments;
  for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

ProcessResult run(const std::vector<std::string>& command, const ProcessInput& input) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipes[3];
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(command, input, pipes);
  pipes[0].close(0), pipes[1].close(1), pipes[2].close(1);
  ::fcntl(pipes[0].ends[1], F_SETFL, O_NONBLOCK);
  if (input.text.empty()) pipes[0].close(1);

  ProcessResult result;
  std::size_t sent = 0;
  while (pipes[1].ends[0] >= 0 || pipes[2].ends[0] >= 0) {
    pollfd waits[3] = {{pipes[0].ends[1], POLLOUT, 0},
                       {pipes[1].ends[0], POLLIN, 0},
                       {pipes[2].ends[0], POLLIN, 0}};
    ::poll(waits, 3, 100);
    if (elapsed() > input.timeout_seconds) ::kill(child, SIGKILL);
    if (waits[0].revents != 0 && pipes[0].ends[1] >= 0) {
      const auto count =
          ::write(pipes[0].ends[1], input.text.data() + sent, input.text.size() - sent);
      if (count > 0) sent += static_cast<std::size_t>(count);
      if ((count < 0 && errno != EAGAIN && errno != EINTR) || sent == input.text.size())
        pipes[0].close(1);
    }
    for (int i = 1; i <= 2; ++i) {
      if (waits[i].revents == 0 || pipes[i].ends[0] < 0) continue;
      char buffer[1 << 14];
      const auto count = ::read(pipes[i].ends[0], buffer, sizeof buffer);
      if (count > 0) {
        (i == 1 ? result.out : result.err).append(buffer, static_cast<std::size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        pipes[i].close(0);
      }
    }
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  result.seconds = elapsed();
  result.max_resident_kb = usage.ru_maxrss;
  result.signalled = WIFSIGNALED(status);
  result.exit_code = exit_code_of(status);
  return result;
}

BackgroundProcess::BackgroundProcess(const std::vector<std::string>& command) : child_(::fork()) {
  if (child_ < 0) throw std::runtime_error("fork failed");
  if (child_ > 0) return;
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int file = 0; file <= 2; ++file) ::dup2(nothing, file);
  execute(command);
}

BackgroundProcess::~BackgroundProcess() { end_with(SIGKILL); }

bool BackgroundProcess::wait_until(const std::function<bool()>& reached) {
  for (int i = 0; i < 60000 && running(); ++i) {
    if (reached()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

int BackgroundProcess::end_with(int signal) {
  if (running()) {
    ::kill(child_, signal);
    ended_ = ::waitpid(child_, &status_, 0) == child_;
  }
  return exit_code_of(status_);
}

bool BackgroundProcess::running() {
  if (!ended_) ended_ = ::waitpid(child_, &status_, WNOHANG) == child_;
  return !ended_;
}

}  // namespace test
