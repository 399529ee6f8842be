#include "dragoman/run/run_place.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/run/model_file.h"

#include <sys/stat.h>

#include <utility>

namespace dragoman {

std::optional<RunPlace::Identity> RunPlace::identity_of(const std::filesystem::path& path) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
  return Identity{.device = facts.st_dev, .inode = facts.st_ino};
}

RunPlace::RunPlace(std::filesystem::path run_dir)
    : run_dir_(std::move(run_dir)),
      folder_(identity_of(run_dir_)),
      lock_(identity_of(run_dir_ / lock_name)) {}

bool RunPlace::unchanged() const {
  return (!folder_ || identity_of(run_dir_) == folder_) &&
         (!lock_ || identity_of(run_dir_ / lock_name) == lock_);
}

void RunPlace::expect_unchanged() const {
  if (!unchanged())
    throw DataError(concat(run_dir_.string(),
                           ": was moved, removed or emptied while this process "
                           "wrote it; resume from its last checkpoint at its new place"));
}

}  // namespace dragoman
