#pragma once

#include "dragoman/text/lines.h"

#include <filesystem>
#include <optional>
#include <string>

namespace dragoman {

/// The target prefixes of a text, read line by line along with the source.
class TargetPrefixes {
 public:
  /// No prefixes.
  TargetPrefixes() = default;

  /// A separate text, "-" = standard input: line n is the beginning of line n's translation; an
  /// empty one = nothing.
  /// \throws DataError if it cannot be opened.
  static TargetPrefixes of_file(const std::filesystem::path& file);

  /// In the source's own lines: "SOURCE ||| PREFIX", or "SOURCE" alone.
  static TargetPrefixes inside_source();

  /// Whether there may be any.
  bool any() const { return file_.has_value() || inside_source_; }

  /// Whether `take` would wait for more of a separate text.
  bool would_wait() const { return file_ && file_->would_wait(); }

  /// The prefix of the source's next line. \param line a prefix in it is removed
  /// \throws DataError if the text has no line for it, or invalid UTF-8
  std::string take(std::string& line);

  /// \throws DataError if the text has more lines than the source.
  void expect_end();

 private:
  std::string take_inside(std::string& line);

  std::optional<LineReader> file_;
  std::int64_t taken_ = 0;
  bool told_ = false;  ///< of a mark that is none
  bool inside_source_ = false;
};

}  // namespace dragoman
