#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace dragoman {

/// A file written piece by piece that appears at its path whole or not at all: it grows as
/// PATH.new, and `commit` syncs and renames it. What a crash leaves is written over the next time;
/// one process at a time may write one path.
class AtomicFile {
 public:
  /// \throws DataError if PATH.new cannot be made
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();  ///< removes PATH.new if it was not committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// \throws DataError (a full disk too)
  void append(std::string_view bytes);

  std::uint64_t size() const { return size_; }  ///< bytes so far

  /// \throws DataError; the old file, if there is one, is then still there
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace dragoman
