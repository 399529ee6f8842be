#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace test {

/// The result of a finished program.
struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal if killed by a signal
  bool signalled = false;
  std::string out;
  std::string err;
  long max_resident_kb = 0;
  double seconds = 0.0;
};

struct ProcessInput {
  std::string text{};                              ///< given to stdin through a pipe
  std::filesystem::path directory{};               ///< working folder, if not the current one
  std::map<std::string, std::string> variables{};  ///< added to the environment
  double timeout_seconds = 300.0;                  ///< after which it is killed with SIGKILL
};

/// To be called in a child: becomes a program, found in PATH, which is killed when the thread that
/// forked it ends.
[[noreturn]] void execute(const std::vector<std::string>& command);

/// Runs a program with arguments (no shell), waits for its end.
ProcessResult run(const std::vector<std::string>& command, const ProcessInput& input = {});

/// A program that runs beside the test, without input and output. It is killed with the object.
class BackgroundProcess {
 public:
  explicit BackgroundProcess(const std::vector<std::string>& command);
  ~BackgroundProcess();
  BackgroundProcess(const BackgroundProcess&) = delete;
  BackgroundProcess& operator=(const BackgroundProcess&) = delete;

  /// Waits until `reached()`, or until the program has ended, two minutes at most.
  /// \return whether it was reached
  bool wait_until(const std::function<bool()>& reached);

  /// Sends a signal and waits for the end. \return the exit code, 128 + signal if killed by one
  int end_with(int signal);

 private:
  bool running();

  int child_ = 0;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace test
