#pragma once

#include "dragoman/text/lines.h"

#include <filesystem>
#include <optional>
#include <string>

namespace dragoman {

/// What the translations of a text begin with, line for line, as it is read beside the source.
class TargetPrefixes {
 public:
  /// Nothing.
  TargetPrefixes() = default;

  /// A text of their own, "-" = standard input: line n is the beginning of line n's translation; an
  /// empty one = nothing.
  /// \throws DataError if it cannot be opened.
  static TargetPrefixes of_file(const std::filesystem::path& file);

  /// In the source's own lines: "SOURCE ||| PREFIX", or "SOURCE" alone.
  static TargetPrefixes inside_source();

  /// Whether there may be any.
  bool any() const { return file_.has_value() || inside_source_; }

  /// That of the source's next line. \param line loses the prefix that stands in it
  /// \throws DataError if the text has no line for it, or bad UTF-8
  std::string take(std::string& line);

  /// \throws DataError if the text has more lines than the source.
  void expect_end();

 private:
  std::optional<LineReader> file_;
  std::int64_t taken_ = 0;
  bool inside_source_ = false;
};

}  // namespace dragoman
