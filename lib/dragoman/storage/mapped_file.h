#pragma once

#include "dragoman/core/descriptor.h"

#include <sys/stat.h>

#include <filesystem>
#include <string_view>

namespace dragoman {

/// A regular file's bytes, mapped read-only for as long as this object lives.
class MappedFile {
 public:
  /// \throws DataError if the file is missing, not a regular file, or cannot be mapped; if the
  ///     system refuses it, a SystemError
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;

  std::string_view bytes() const { return bytes_; }

  /// Releases the memory of what was read so far; it is read again from the file when needed.
  void drop_pages() const;

  /// To be called before reading long after the file was opened: bytes that are gone by then would
  /// end the process (SIGBUS). A file that was replaced or deleted has not changed.
  /// \throws FormatError if the file was written to, or cut, since it was opened
  void expect_unchanged() const;

 private:
  Descriptor file_;
  struct ::stat facts_;  ///< when it was opened
  std::string_view bytes_;
};

}  // namespace dragoman
