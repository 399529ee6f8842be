#pragma once

#include <filesystem>
#include <vector>

namespace dragoman {

/// `folder` and the folders above it that are missing, innermost first.
std::vector<std::filesystem::path> missing_folders(const std::filesystem::path& folder);

/// A folder that a command fills: kept once it is complete, else what was made is removed, also by
/// `remove_unfinished_files_on_signals`.
class NewFolder {
 public:
  /// Creates the folder and those above it if they are missing.
  /// \throws DataError if `folder` exists and is not an empty folder, or cannot be created
  explicit NewFolder(std::filesystem::path folder);

  /// Without `keep` before, removes what is in the folder and the folders that this made.
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep();

 private:
  void remove_made() const;
  void forget() const;

  std::filesystem::path folder_;
  std::filesystem::path noted_;              ///< the same without symbolic links
  std::vector<std::filesystem::path> made_;  ///< innermost first
  bool kept_ = false;
};

}  // namespace dragoman
