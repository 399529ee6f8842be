#pragma once

#include <filesystem>
#include <vector>

namespace dragoman {

/// A folder that a command fills: it stays once all is in it, else what was made goes again.
class NewFolder {
 public:
  /// Makes the folder and those above it where they are missing.
  /// \throws DataError if `folder` is there and is not an empty folder, or cannot be made
  explicit NewFolder(std::filesystem::path folder);

  /// Without `keep` before, removes what is in the folder and the folders that this made.
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep() { kept_ = true; }

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> made_;  ///< innermost first
  bool kept_ = false;
};

}  // namespace dragoman
