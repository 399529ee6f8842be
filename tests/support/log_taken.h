#pragma once

#include "dragoman/core/log_sink.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// Takes the log for its lifetime.
struct LogTaken {
  LogTaken() {
    dragoman::set_log_sink([this](dragoman::LogLevel level, std::string_view text) {
      const std::lock_guard lock(mutex);
      messages.emplace_back(text);
      if (level == dragoman::LogLevel::warning) warnings.emplace_back(text);
    });
  }
  ~LogTaken() { dragoman::set_log_sink({}); }
  LogTaken(const LogTaken&) = delete;
  LogTaken& operator=(const LogTaken&) = delete;

  /// Whether a message has this part; other threads may log.
  bool has(std::string_view part) {
    const std::lock_guard lock(mutex);
    return std::ranges::any_of(messages, [part](const std::string& message) {
      return message.find(part) != std::string::npos;
    });
  }

  std::mutex mutex;
  std::vector<std::string> messages, warnings;  ///< messages: of every level
};

}  // namespace test
