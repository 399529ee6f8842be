#pragma once

#include <filesystem>

namespace dragoman {

/// Says that this process writes a run folder: RUN_DIR/LOCK, held with flock() until the object
/// goes. The kernel lets go of it however the process ends; the file itself stays.
class RunLock {
 public:
  /// Makes the folder where it is missing. Does not wait.
  /// \throws DataError naming the lock file if another process holds it.
  explicit RunLock(const std::filesystem::path& run_dir);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace dragoman
