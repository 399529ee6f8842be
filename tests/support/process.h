#pragma once

#include <filesystem>
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

/// Runs a program with arguments (no shell), waits for its end.
ProcessResult run(const std::vector<std::string>& command, const ProcessInput& input = {});

}  // namespace test
