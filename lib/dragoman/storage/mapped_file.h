#pragma once

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

 private:
  std::string_view bytes_;
};

}  // namespace dragoman
