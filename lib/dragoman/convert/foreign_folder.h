#pragma once

#include "dragoman/convert/imported_run.h"
#include "dragoman/core/new_folder.h"
#include "dragoman/run/checkpoint_store.h"

#include <filesystem>
#include <functional>
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

/// Does `read`, which makes a run of `folder`. In messages of its errors, a folder that came from
/// elsewhere (`ImportedRun::origin`), such as an archive, has that name.
/// \throws as `read` does
Checkpoint naming_origin(const std::filesystem::path& folder, const ImportedRun& run,
                         const std::function<Checkpoint()>& read);

}  // namespace dragoman
