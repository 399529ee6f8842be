#pragma once

#include "dragoman/core/error.h"

#include <cerrno>

namespace dragoman {

/// What the operating system refused, with its reason. It says nothing about the data itself unless
/// `means_missing`.
class SystemError : public DataError {
 public:
  /// \param error_number as in `errno`
  SystemError(const std::string& message, int error_number)
      : DataError(message), error_number_(error_number) {}

  int error_number() const { return error_number_; }

  /// Whether there is no such file: rights, memory, limits and the disk are not the reason.
  bool means_missing() const {
    return error_number_ == ENOENT || error_number_ == ENOTDIR || error_number_ == ELOOP;
  }

 private:
  int error_number_;
};

}  // namespace dragoman
