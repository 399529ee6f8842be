#pragma once

#include "dragoman/core/new_folder.h"

#include <filesystem>
#include <optional>

namespace dragoman {

/// The folder of a foreign model, which may come as a zip archive: that is unpacked beside the run
/// it is to become, and removed at the end.
class ForeignFolder {
 public:
  /// \param model a folder, which is used as it is, or an archive
  /// \param run_dir what it becomes
  /// \throws DataError if `run_dir` is not empty; as `unzip` does
  ForeignFolder(const std::filesystem::path& model, const std::filesystem::path& run_dir);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<NewFolder> unpacked_;
};

}  // namespace dragoman
