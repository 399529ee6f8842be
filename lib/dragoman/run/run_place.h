#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

namespace dragoman {

/// Which folder a run had at its path when this process began, to detect that it was moved or
/// removed. Together with the file LOCK, where there is one: emptied counts as removed.
class RunPlace {
 public:
  /// \param run_dir may be missing; then it may appear later
  explicit RunPlace(std::filesystem::path run_dir);

  /// Whether the folder existed.
  bool was_there() const { return folder_.has_value(); }

  /// Whether the same folder is still at its path.
  bool unchanged() const;

  /// \throws DataError if not
  void expect_unchanged() const;

 private:
  struct Identity {
    dev_t device;
    ino_t inode;
    bool operator==(const Identity&) const = default;
  };
  static std::optional<Identity> identity_of(const std::filesystem::path& path);

  std::filesystem::path run_dir_;
  std::optional<Identity> folder_, lock_;
};

}  // namespace dragoman
