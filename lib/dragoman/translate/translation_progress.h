#pragma once

#include "dragoman/core/progress.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace dragoman {

/// Shows the progress of the translation of a text, if the log shows information
/// (`LogLevel::info`).
class TranslationProgress {
 public:
  /// A text that is read while it is translated. Its lines are counted where that is cheap; a pipe
  /// or a terminal, which may be answered line by line, has no progress.
  /// \param name as `open_text` takes it
  explicit TranslationProgress(const std::string& name);

  /// A text of `lines` lines. \param place its name in messages
  TranslationProgress(const std::string& place, std::int64_t lines);

  /// The `LinesContext::progress` for some of the lines; those of several calls may be used at
  /// once.
  std::function<void(std::int64_t, std::int64_t)> of_lines(std::int64_t lines);

 private:
  std::mutex mutex_;
  std::optional<Progress> progress_;
  std::int64_t done_ = 0;  ///< lines
};

}  // namespace dragoman
