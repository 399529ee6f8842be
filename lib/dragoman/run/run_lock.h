#pragma once

#include "dragoman/core/error.h"

#include <filesystem>
#include <memory>

namespace dragoman {

/// What a RunLock does where another process holds the lock.
enum class IfLocked {
  refuse,  ///< a DataError at once
  wait,    ///< waits until it is free; the log says so once. SIGINT and SIGTERM end the wait
};

/// Another process holds a RunLock.
class InUseError : public DataError {
 public:
  using DataError::DataError;
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
  /// \throws InUseError naming the lock file if another process holds it and `if_locked` is
  ///     `refuse`; DataError if it cannot be locked
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

/// The lock of a folder, or null while another process holds it.
std::unique_ptr<RunLock> lock_if_free(const std::filesystem::path& folder);

}  // namespace dragoman
