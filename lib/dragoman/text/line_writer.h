#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dragoman {

/// Writes lines to a file that appears whole or not at all, or to standard output.
class LineWriter {
 public:
  /// Lines go to a temporary file beside `file`; `finish` puts it in place. What is no plain file
  /// (a device, a pipe) is written to directly.
  /// \throws DataError if it cannot be opened.
  explicit LineWriter(const std::filesystem::path& file);

  static LineWriter standard_output();

  LineWriter(LineWriter&& other) noexcept;
  LineWriter& operator=(LineWriter&&) = delete;

  /// Without `finish` before, removes the temporary file.
  ~LineWriter();

  /// Adds `line` and an LF. \throws DataError if it cannot be written (a full disk).
  void write(std::string_view line);

  /// Hands out what is held back, for a reader who waits.
  void flush();

  /// Flushes, and puts the file in place, on the disk. Nothing may be written behind it.
  void finish();

 private:
  LineWriter(int descriptor, std::filesystem::path file, std::filesystem::path temporary);
  [[noreturn]] void fail(int error_number) const;

  int descriptor_;
  std::filesystem::path file_;
  std::filesystem::path temporary_;  ///< empty where there is none
  std::string buffer_;
};

}  // namespace dragoman
