#pragma once

#include <filesystem>

namespace dragoman {

/// What a RunLock does where another process holds the lock.
enum class IfLocked {
  refuse,  ///< a DataError at once
  wait,    ///< waits until it is free; the log says so once. SIGINT and SIGTERM end the wait
};

/// Locks the file of an open descriptor: flock(2), or what stands in for it.
using LockCall = int (*)(int descriptor, int operation);

/// Marks a run folder as being written by this process: RUN_DIR/LOCK, held with flock() for the
/// object's lifetime. The kernel releases it however the process ends; the file itself stays. On a
/// filesystem without locks there is none, and a warning says so once.
class RunLock {
 public:
  /// Creates the folder if it is missing.
  /// \param call flock(2), or a replacement for tests
  /// \throws DataError naming the lock file if another process holds it and `if_locked` is `refuse`
  explicit RunLock(const std::filesystem::path& run_dir, IfLocked if_locked = IfLocked::refuse);
  RunLock(const std::filesystem::path& run_dir, IfLocked if_locked, LockCall call);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// False on a filesystem without locks.
  bool held() const { return held_; }

 private:
  int descriptor_;
  bool held_ = true;
};

}  // namespace dragoman
