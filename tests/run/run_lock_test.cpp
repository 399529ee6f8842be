#include "dragoman/run/run_lock.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

namespace run_lock_test {

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

  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
};

}  // namespace

TEST_CASE("A run that another process writes is refused by the name of its lock", "[unit]") {
  const test::TemporaryDirectory folder;
  const Holder holder(folder / "run");
  CHECK_THROWS_WITH(RunLock(folder / "run"), test::contains((folder / "run" / "LOCK").string() +
                                                            ": held by another process"));
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

}  // namespace run_lock_test
