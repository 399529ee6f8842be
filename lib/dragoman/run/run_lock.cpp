#include "dragoman/run/run_lock.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace dragoman {

namespace {

/// 0 or the reason; a signal whose handler returns interrupts no wait.
int lock_file(int descriptor, int operation, LockCall call) {
  while (call(descriptor, operation) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& run_dir, IfLocked if_locked)
    : RunLock(run_dir, if_locked, ::flock) {}

RunLock::RunLock(const std::filesystem::path& run_dir, IfLocked if_locked, LockCall call) {
  std::error_code error;
  std::filesystem::create_directories(run_dir, error);
  if (error) throw DataError(concat(run_dir.string(), ": cannot be created: ", error.message()));

  const auto path = run_dir / "LOCK";
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw DataError(concat(path.string(), ": cannot be opened: ", system_error_text(errno)));
  int reason = lock_file(descriptor_, LOCK_EX | LOCK_NB, call);
  if (reason == EWOULDBLOCK && if_locked == IfLocked::wait) {
    log_info(
        concat(path.string(), ": waiting for another process that prepares ", run_dir.string()));
    reason = lock_file(descriptor_, LOCK_EX, call);
  }
  if (reason == 0) return;
  ::close(descriptor_);
  if (reason == EWOULDBLOCK)
    throw DataError(concat(path.string(), ": held by another process that writes this run; ",
                           "wait for its end, or choose another folder"));
  throw DataError(concat(path.string(), ": cannot be locked: ", system_error_text(reason)));
}

RunLock::~RunLock() { ::close(descriptor_); }

}  // namespace dragoman
