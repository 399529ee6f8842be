#pragma once

#include "dragoman/core/atomic_file.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace dragoman {

/// Writes lines to a file that appears whole or not at all, or to standard output.
class LineWriter {
 public:
  /// Lines go to an `AtomicFile`: `finish` puts it in place, and what is no regular file (a device,
  /// a pipe) is written to directly.
  /// \throws DataError if it cannot be opened.
  explicit LineWriter(const std::filesystem::path& file);

  static LineWriter standard_output();

  /// Adds `line` and an LF. \throws DataError if it cannot be written (a full disk).
  void write(std::string_view line);

  /// Flushes what is buffered, for a reader who waits.
  void flush();

  /// Flushes, and puts the file in place, on the disk. Nothing may be written after it. Without
  /// it nothing of a new file remains.
  void finish();

 private:
  LineWriter();

  std::unique_ptr<AtomicFile> file_;  ///< none = standard output
  std::string buffer_;
};

}  // namespace dragoman
