#include "dragoman/run/run_lock.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/run/model_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>

namespace dragoman {

namespace {

/// 0 or the reason; a signal whose handler returns interrupts no wait.
int lock_file(int descriptor, int operation, LockCall call) {
  while (call(descriptor, operation) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

/// Whether the filesystem, not another process, is the reason.
bool means_no_locks(int reason) {
  return reason == ENOLCK || reason == EOPNOTSUPP || reason == ENOSYS;
}

/// Once for each filesystem: a training locks its folder and that of its text.
void warn_of_no_locks(const std::filesystem::path& path, int descriptor) {
  static std::mutex mutex;
  static std::set<dev_t> known;
  struct stat facts{};
  ::fstat(descriptor, &facts);
  const std::lock_guard lock(mutex);
  if (known.insert(facts.st_dev).second)
    log_warning(concat(path.string(), ": this filesystem has no locks; make sure that no other ",
                       "process writes to it"));
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& run_dir, IfLocked if_locked)
    : RunLock(run_dir, if_locked, ::flock) {}

RunLock::RunLock(const std::filesystem::path& run_dir, IfLocked if_locked, LockCall call) {
  if (make_folder(run_dir)) sync_directory(run_dir.has_parent_path() ? run_dir.parent_path() : ".");

  const auto path = run_dir / lock_name;
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw DataError(concat(path.string(), ": cannot be opened: ", system_error_text(errno)));
  int reason = lock_file(descriptor_, LOCK_EX | LOCK_NB, call);
  if (reason == EWOULDBLOCK && if_locked == IfLocked::wait) {
    log_info(concat(path.string(), ": waiting for the process that holds it"));
    reason = lock_file(descriptor_, LOCK_EX, call);
  }
  if (reason == 0) return;
  if (means_no_locks(reason)) {
    held_ = false;
    warn_of_no_locks(path, descriptor_);
    return;
  }
  ::close(descriptor_);
  if (reason == EWOULDBLOCK)
    throw InUseError(concat(path.string(), ": in use by another process that is writing this run; ",
                            "wait until it ends, or choose another folder"));
  throw DataError(concat(path.string(), ": cannot be locked: ", system_error_text(reason)));
}

RunLock::~RunLock() { ::close(descriptor_); }

std::unique_ptr<RunLock> lock_if_free(const std::filesystem::path& folder) try {
  return std::make_unique<RunLock>(folder);
} catch (const InUseError&) {
  return nullptr;
}

}  // namespace dragoman
