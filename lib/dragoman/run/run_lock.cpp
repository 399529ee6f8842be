#include "dragoman/run/run_lock.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace dragoman {

RunLock::RunLock(const std::filesystem::path& run_dir) {
  std::error_code error;
  std::filesystem::create_directories(run_dir, error);
  if (error) throw DataError(concat(run_dir.string(), ": cannot be created: ", error.message()));

  const auto path = run_dir / "LOCK";
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw DataError(concat(path.string(), ": cannot be opened: ", system_error_text(errno)));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;

  const int reason = errno;
  ::close(descriptor_);
  if (reason == EWOULDBLOCK)
    throw DataError(concat(path.string(), ": held by another process that writes this run; ",
                           "wait for its end, or choose another folder"));
  throw DataError(concat(path.string(), ": cannot be locked: ", system_error_text(reason)));
}

RunLock::~RunLock() { ::close(descriptor_); }

}  // namespace dragoman
