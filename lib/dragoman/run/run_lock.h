#pragma once

#include <filesystem>

namespace dragoman {

/// Marks a run folder as being written by this process: RUN_DIR/LOCK, held with flock() for the
/// object's lifetime. The kernel releases it however the process ends; the file itself stays.
class RunLock {
 public:
  /// Creates the folder if it is missing. Does not wait.
  /// \throws DataError naming the lock file if another process holds it.
  explicit RunLock(const std::filesystem::path& run_dir);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace dragoman
