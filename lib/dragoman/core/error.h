#pragma once

#include <stdexcept>

namespace dragoman {

/// Exit codes of the program, as every --help lists them.
enum class ExitCode : int {
  done = 0,
  data = 1,           ///< a file, a format or the data in it; a full disk; a run that had to stop
  usage = 2,          ///< the command line or the configuration
  internal = 70,      ///< a bug in this program
  interrupted = 130,  ///< work that its caller cancelled
  broken_pipe = 141,  ///< the reader of stdout or stderr closed it
};

/// The base of all errors. Except for an InternalError, the user can fix it, and the message names
/// place, fact and remedy: "place: fact; remedy".
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

/// The caller has asked for the work to end before it was done.
class Cancelled : public Error {
 public:
  using Error::Error;
  ExitCode exit_code() const noexcept override { return ExitCode::interrupted; }
};

/// A bug, in this library or in the code that calls it (exit code 70).
class InternalError : public Error {
 public:
  using Error::Error;
  ExitCode exit_code() const noexcept override { return ExitCode::internal; }
};

/// A breach of a function's contract by the calling code, such as a tensor of the wrong shape.
class ContractError : public InternalError {
 public:
  using InternalError::InternalError;
};

}  // namespace dragoman
