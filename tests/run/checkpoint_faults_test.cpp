#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/system_error.h"
#include "run/written_checkpoints.h"
#include "support/catch.h"
#include "support/skip.h"
#include "support/temporary_directory.h"

#include <sys/mount.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace checkpoint_faults_test {

using namespace written_checkpoints;

namespace {

/// A file system of 1 MiB, where this process may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(std::filesystem::path place) : place_(std::move(place)) {
    std::filesystem::create_directory(place_);
    mounted_ = ::mount("tmpfs", place_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(place_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }

 private:
  std::filesystem::path place_;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("A process killed while it fills a checkpoint leaves one that nobody reads", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  in_child([&]() -> bool {
    store.save(2, [](CheckpointWriter& writer) {
      fill(writer);
      ::raise(SIGKILL);
    });
    return true;
  });
  CHECK(names(run / "checkpoints").size() == 2);
  CHECK(steps(store) == std::vector<std::int64_t>{1});
  store.remove_leftovers();
  CHECK(names(run / "checkpoints") == std::vector<std::string>{"step-00000001"});
}

TEST_CASE("Nothing is set aside for want of the right to read it", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  for (const int step : {1, 2}) store.save(step, fill);
  std::filesystem::permissions(run.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(run / "checkpoints/step-00000002/weights",
                               std::filesystem::perms::none);
  CHECK(in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return false;
    try {
      store.newest_good(Damaged::set_aside);
    } catch (const SystemError& error) {
      return error.error_number() == EACCES;
    }
    return false;
  }));
  CHECK(steps(store) == std::vector<std::int64_t>{2, 1});
}

TEST_CASE("A limit on the size of files stops a checkpoint with a message and leaves nothing",
          "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  CHECK(in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      store.save(2, [](CheckpointWriter& w) { w.write("weights", std::string(10000, 'w')); });
    } catch (const DataError& error) {
      return std::string(error.what()).find("weights: cannot be written: File too large") !=
             std::string::npos;
    }
    return false;
  }));
  CHECK(names(run / "checkpoints") == std::vector<std::string>{"step-00000001"});
  CHECK(store.choose("latest").step == 1);
}

TEST_CASE("A full disk stops a checkpoint with a message and leaves nothing", "[unit]") {
  const test::TemporaryDirectory run;
  const auto place = run / "small";
  const SmallDisk disk(place);
  if (!disk.mounted()) {
    test::skip("this process may not mount a small file system");
    return;
  }
  CheckpointStore store(place, 2);
  const auto save = [&store](int step, std::size_t size) {
    store.save(step, [size](CheckpointWriter& w) { w.write("weights", std::string(size, 'w')); });
  };
  CHECK_THROWS_WITH(save(1, 2000000), test::contains("weights: cannot be written: No space left"));
  CHECK(names(place / "checkpoints").empty());

  for (const int step : {1, 2, 3}) save(step, 300000);
  CHECK(steps(store) == std::vector<std::int64_t>{3, 2, 1});
  save(4, 300000);  // needs the room of what retention gives up
  CHECK(steps(store) == std::vector<std::int64_t>{4, 3, 2});
  std::ofstream(place / "other") << std::string(100000, 'x');
  CHECK_THROWS_WITH(CheckpointStore(place, 9).save(5, fill),
                    test::contains("make room on this disk"));
  CHECK(steps(store) == std::vector<std::int64_t>{4, 3, 2});
}

}  // namespace checkpoint_faults_test
