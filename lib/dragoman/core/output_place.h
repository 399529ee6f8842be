#pragma once

#include <filesystem>
#include <optional>

namespace dragoman {

/// What an output path refers to once its symbolic links are followed.
struct OutputPlace {
  std::filesystem::path file;  ///< no symbolic link; may be missing
  /// Whether to write to the file itself: a FIFO, a device, anything below /dev (but /dev/shm) and
  /// /proc. Anything else is replaced by a rename.
  bool in_place = false;
  std::optional<int> descriptor{};  ///< of this process, where the path names one (/dev/stdout)
};

/// Follows the symbolic links of `path`; the last one may name a file that does not exist yet.
/// \throws DataError if the links run in a circle or cannot be read
OutputPlace output_place(const std::filesystem::path& path);

}  // namespace dragoman
