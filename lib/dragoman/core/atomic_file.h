#pragma once

#include "dragoman/core/descriptor.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace dragoman {

/// A file written piece by piece that appears at its path whole or not at all: it grows beside it
/// as FILE.tmp-PID, which `commit` syncs and renames.
///
/// A symbolic link stays: the file it names is written, also where that does not exist yet. A new
/// file keeps the permissions of the one it replaces, and its owner if this process may set it.
/// Anything but a regular file (a FIFO, a device), or below /dev or /proc, is written to directly.
class AtomicFile {
 public:
  /// \throws DataError if the temporary file cannot be made, or the device cannot be opened
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();  ///< removes the temporary file if it was not committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// \throws DataError (a full disk too)
  void append(std::string_view bytes);

  std::uint64_t size() const { return size_; }  ///< bytes so far

  /// \throws DataError; the old file, if there is one, is then still there unless the disk failed
  ///     after it was replaced
  void commit();

 private:
  struct Opened {
    std::filesystem::path file;       ///< to be written
    std::filesystem::path temporary;  ///< empty where the file is written to directly
    Descriptor descriptor;
  };
  static Opened open(const std::filesystem::path& path);
  static Opened open_temporary(const std::filesystem::path& file);

  Opened opened_;
  std::uint64_t size_ = 0;
};

}  // namespace dragoman
