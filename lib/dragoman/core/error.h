#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace dragoman {

/// Joins its arguments as `operator<<` prints them.
template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// Exit codes of the program; each command's help names those it can end with.
enum class ExitCode : int {
  done = 0,
  data = 1,           ///< a file, a format or the data in it; a full disk; a run that had to stop
  usage = 2,          ///< the command line or the configuration
  internal = 70,      ///< a bug in this program
  interrupted = 130,  ///< SIGINT, after saving
  broken_pipe = 141,  ///< the reader of stdout closed it
  terminated = 143,   ///< SIGTERM, after saving
};

/// An error the user can fix. The message names place, fact and remedy: "place: fact; remedy".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  virtual ExitCode exit_code() const noexcept { return ExitCode::data; }
};

/// A wrong option or configuration (exit code 2).
class OptionsError : public Error {
 public:
  using Error::Error;
  ExitCode exit_code() const noexcept override { return ExitCode::usage; }
};

/// Unusable data: missing files, misaligned or badly encoded text (exit code 1).
class DataError : public Error {
 public:
  using Error::Error;
};

/// A file that is not what it should be: damaged, foreign, of another version (exit code 1).
class FormatError : public Error {
 public:
  using Error::Error;
};

/// A breach of a function's contract by the calling code, such as a tensor of the wrong shape.
class ContractError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace dragoman
