#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace dragoman::app {

/// What differs between the program with LibTorch and the one without.
struct Program {
  std::function<void(CLI::App&)> add_commands;  ///< besides those that need no LibTorch
  std::function<std::string()> version_text;    ///< what --version prints
  std::function<void(const CLI::App&)> prepare = [](const CLI::App&) {};  ///< before a command runs
  void (*rethrow_as_error)();  ///< as `dragoman::rethrow_as_error`
};

/// Parses the command line, runs the command and reports its errors. \return the exit code
int run_program(int argc, char** argv, const Program& program);

}  // namespace dragoman::app
