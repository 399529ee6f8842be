#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dragoman {

/// Whether the pieces that an attempt has learned remain: for the next one, unless their text was
/// at fault.
enum class LearnedPieces { removed, kept };

/// A run folder before the training wrote to it.
class FolderSnapshot {
 public:
  explicit FolderSnapshot(std::filesystem::path run_dir);

  /// Whether there were files in it, and none of a run.
  bool holds_other_files() const;

  /// Removes what an attempt made that ended before the first checkpoint, and the folders above it
  /// that were missing; a configuration that was there is as it was. The text as ids remains once
  /// it is finished: it may have taken an hour, and the next attempt uses it.
  void restore(LearnedPieces pieces = LearnedPieces::removed) const;

 private:
  void restore_configuration() const;

  std::filesystem::path run_dir_;
  bool is_known_ = true;                             ///< whether it could be listed
  std::set<std::string> held_ = {};                  ///< names of its files and folders
  std::optional<std::string> configuration_ = {};    ///< the text of its config.json
  std::vector<std::filesystem::path> missing_ = {};  ///< it and those above it, innermost first
};

}  // namespace dragoman
