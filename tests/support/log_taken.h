#pragma once

#include "dragoman/core/log_sink.h"

#include <string>
#include <vector>

namespace test {

/// Takes the log for its lifetime.
struct LogTaken {
  LogTaken() {
    dragoman::set_log_sink([this](dragoman::LogLevel level, std::string_view text) {
      messages.emplace_back(text);
      if (level == dragoman::LogLevel::warning) warnings.emplace_back(text);
    });
  }
  ~LogTaken() { dragoman::set_log_sink({}); }
  LogTaken(const LogTaken&) = delete;
  LogTaken& operator=(const LogTaken&) = delete;

  std::vector<std::string> messages, warnings;  ///< messages: of every level
};

}  // namespace test
