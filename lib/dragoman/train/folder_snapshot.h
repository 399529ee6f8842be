#pragma once

#include <filesystem>
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
  bool holds_other_files() const { return had_more_ && !had_run_; }

  /// Removes what an attempt made that ended before the first checkpoint; nothing from a folder
  /// that held other files. The text as ids remains once it is finished: it may have taken an hour,
  /// and the next attempt uses it.
  void restore(LearnedPieces pieces = LearnedPieces::removed) const;

 private:
  std::vector<std::filesystem::path> entries() const;

  std::filesystem::path run_dir_;
  bool was_there_ = false, had_data_ = false, had_more_ = false, had_run_ = false;
};

}  // namespace dragoman
