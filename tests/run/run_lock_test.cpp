#include "dragoman/run/run_lock.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"

#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <string>

namespace run_lock_test {

using dragoman::IfLocked;
using dragoman::RunLock;

namespace {

/// Another process that takes the lock of a run and keeps it until it is killed.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& run_dir) {
    int ready[2];
    if (::pipe(ready) != 0) throw std::runtime_error("pipe failed");
    child_ = ::fork();
    if (child_ == 0) {
      const RunLock lock(run_dir);
      if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    if (::read(ready[0], &byte, 1) != 1) throw std::runtime_error("the child has no lock");
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() { kill(); }

  /// Ends it like a crash.
  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
};

/// A process that waits for the lock of a folder, and then ends.
class Waiter {
 public:
  explicit Waiter(const std::filesystem::path& folder) : child_(::fork()) {
    if (child_ != 0) return;
    ::signal(SIGTERM, SIG_DFL);  // not the one of the tests
    const RunLock lock(folder, IfLocked::wait);
    ::_exit(lock.held() ? 7 : 1);
  }

  /// How it ended, within so many seconds; nothing if it still waits.
  std::optional<int> status(double seconds) const {
    int status = 0;
    for (int i = 0; i < static_cast<int>(seconds * 100); ++i) {
      if (::waitpid(child_, &status, WNOHANG) == child_) return status;
      ::usleep(10000);
    }
    return std::nullopt;
  }

  pid_t process() const { return child_; }

 private:
  pid_t child_;
};

/// A filesystem that refuses locks for this reason.
template <int reason>
int refuse(int, int) {
  errno = reason;
  return -1;
}

/// Held by another process until it is waited for; interrupted once.
int held_then_free(int, int operation) {
  static int calls = 0;
  errno = ++calls == 2 ? EINTR : EWOULDBLOCK;
  return (operation & LOCK_NB) == 0 && calls > 2 ? 0 : -1;
}

}  // namespace

TEST_CASE("A run that another process writes is refused by the name of its lock", "[unit]") {
  const test::TemporaryDirectory folder;
  const Holder holder(folder / "run");
  CHECK_THROWS_WITH(RunLock(folder / "run"), test::contains((folder / "run" / "LOCK").string() +
                                                            ": in use by another process"));
}

TEST_CASE("The lock of a killed process is free", "[unit]") {
  const test::TemporaryDirectory folder;
  Holder holder(folder.path());
  holder.kill();
  CHECK_NOTHROW(RunLock(folder.path()));
}

TEST_CASE("A lock is free again after its object", "[unit]") {
  const test::TemporaryDirectory folder;
  {
    const RunLock first(folder.path());
    CHECK_THROWS_AS(RunLock(folder.path()), dragoman::DataError);
  }
  CHECK_NOTHROW(RunLock(folder.path()));
}

TEST_CASE("A lock that is waited for comes with its holder's end, or a signal ends the wait",
          "[unit]") {
  const test::TemporaryDirectory folder;
  Holder holder(folder.path());
  const Waiter patient(folder.path());
  const Waiter stopped(folder.path());
  CHECK_FALSE(patient.status(0.2));
  CHECK_FALSE(stopped.status(0.01));
  ::kill(stopped.process(), SIGTERM);
  const auto ended = stopped.status(20);
  REQUIRE(ended);
  CHECK((WIFSIGNALED(*ended) && WTERMSIG(*ended) == SIGTERM));
  holder.kill();
  const auto done = patient.status(20);
  REQUIRE(done);
  CHECK((WIFEXITED(*done) && WEXITSTATUS(*done) == 7));
}

TEST_CASE("A wait for a lock is told once and goes on after a signal", "[unit]") {
  const test::TemporaryDirectory folder;
  const test::LogTaken log;
  const RunLock lock(folder.path(), IfLocked::wait, held_then_free);
  CHECK(lock.held());
  REQUIRE(log.messages.size() == 1);
  CHECK_THAT(log.messages.front(), test::contains("LOCK: waiting for the process that holds it"));
}

TEST_CASE("A filesystem without locks is told once, and written without one", "[unit]") {
  const test::TemporaryDirectory folder;
  const test::LogTaken log;
  for (const auto call : {refuse<ENOLCK>, refuse<EOPNOTSUPP>, refuse<ENOSYS>})
    for (const auto if_locked : {IfLocked::refuse, IfLocked::wait})
      CHECK_FALSE(RunLock(folder / "run", if_locked, call).held());
  REQUIRE(log.messages.size() == 1);
  CHECK_THAT(log.messages.front(),
             test::contains("run/LOCK: this filesystem has no locks; make sure that no other"));
  CHECK_THROWS_WITH(RunLock(folder / "run", IfLocked::wait, refuse<EIO>),
                    test::contains("cannot be locked: Input/output error"));
}

}  // namespace run_lock_test
