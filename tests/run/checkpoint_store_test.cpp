#include "dragoman/run/checkpoint_store.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/system_error.h"
#include "dragoman/run/run_lock.h"
#include "support/catch.h"
#include "support/skip.h"
#include "support/temporary_directory.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace checkpoint_store_test {

using namespace dragoman;

namespace {

void fill(CheckpointWriter& writer) {
  writer.write("state.json", "{\"loss\": 1}");
  writer.write("weights", std::string(1000, 'w'));
}

std::vector<std::string> names(const std::filesystem::path& folder) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    found.insert(entry.path().filename().string());
  return {found.begin(), found.end()};
}

std::vector<std::int64_t> steps(const CheckpointStore& store) {
  std::vector<std::int64_t> found;
  for (const auto& checkpoint : store.list()) found.push_back(checkpoint.step);
  return found;
}

void damage(const std::filesystem::path& file) {
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(5) << 'X';
}

/// Runs `action` in a process of its own; true if it ended by returning true.
template <typename Action>
bool in_child(const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool good = false;
    try {
      good = action();
    } catch (...) {
    }
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

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

TEST_CASE("A saved checkpoint is listed, good and the latest", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  CHECK_FALSE(store.newest_good(Damaged::skip));
  CHECK_FALSE(store.latest());
  store.save(300, fill);
  const auto saved = store.save(1200, fill);
  CHECK(saved.name() == "step-00001200");
  CHECK(steps(store) == std::vector<std::int64_t>{1200, 300});
  CHECK(store.newest_good(Damaged::skip)->path == saved.path);
  CHECK(store.latest()->step == 1200);
  CHECK(read_file(run / "latest") == "step-00001200\n");
  CHECK(names(saved.path) == std::vector<std::string>{"manifest.json", "state.json", "weights"});
}

TEST_CASE("A checkpoint that fails while it is filled leaves nothing", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  CHECK_THROWS_WITH(store.save(2,
                               [](CheckpointWriter& writer) {
                                 fill(writer);
                                 throw std::runtime_error("stopped");
                               }),
                    "stopped");
  CHECK(names(run / "checkpoints") == std::vector<std::string>{"step-00000001"});
  CHECK(store.latest()->step == 1);
}

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

TEST_CASE("A run folder that was moved, removed, emptied or replaced is not made again", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  const std::map<std::string, std::function<void()>> changes = {
      {"moved", [&] { std::filesystem::rename(run, folder / "elsewhere"); }},
      {"removed", [&] { std::filesystem::remove_all(run); }},
      {"emptied", [&] { std::filesystem::remove(run / "LOCK"); }},
      {"replaced", [&] {
         std::filesystem::rename(run, folder / "other");
         std::filesystem::create_directory(run);
       }}};
  for (const auto& [name, change] : changes) {
    CAPTURE(name);
    std::filesystem::remove_all(run);
    const RunLock lock(run);
    CheckpointStore store(run);
    change();
    const bool stays = std::filesystem::exists(run);
    CHECK_THROWS_WITH(store.save(1, fill), test::contains("/run: was moved, removed or emptied"));
    CHECK(std::filesystem::exists(run) == stays);
    CHECK_FALSE(std::filesystem::exists(run / "checkpoints"));
  }
}

TEST_CASE("Saving a step again replaces it whole", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(7, fill);
  store.save(7, [](CheckpointWriter& writer) { writer.write("other", "new"); });
  CHECK(names(run / "checkpoints") == std::vector<std::string>{"step-00000007"});
  CHECK(names(run / "checkpoints" / "step-00000007") ==
        std::vector<std::string>{"manifest.json", "other"});
}

TEST_CASE("A damaged checkpoint is set aside and the one before it found", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  for (const int step : {1, 2, 3}) store.save(step, fill);
  damage(run / "checkpoints/step-00000003/weights");
  std::filesystem::remove(run / "checkpoints/step-00000002/manifest.json");

  SECTION("a reader leaves everything where it is") {
    CHECK(store.newest_good(Damaged::skip)->step == 1);
    CHECK(steps(store) == std::vector<std::int64_t>{3, 2, 1});
  }
  SECTION("the owner renames what is bad") {
    CHECK(store.newest_good(Damaged::set_aside)->step == 1);
    CHECK(names(run / "checkpoints") ==
          std::vector<std::string>{"step-00000001", "step-00000002.bad", "step-00000003.bad"});
  }
}

TEST_CASE("Nothing is set aside for a checkpoint that cannot be read now", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  store.save(2, [](CheckpointWriter& writer) { writer.write("weights", ""); });
  store.save(3, fill);
  const auto second = run / "checkpoints/step-00000002";
  std::filesystem::remove(run / "checkpoints/step-00000003/weights");
  const auto all = names(run / "checkpoints");

  SECTION("as the disk fails") {
    std::filesystem::remove(second / "weights");
    std::filesystem::create_symlink("/proc/self/mem", second / "weights");  // EIO at its beginning
    CHECK_THROWS_AS(store.newest_good(Damaged::set_aside), SystemError);
    CHECK_THROWS_WITH(store.newest_good(Damaged::set_aside),
                      test::contains("step-00000002/weights: cannot be read: Input/output error") &&
                          test::contains("make step-00000002 readable"));
  }
  SECTION("as a newer version wrote it") {
    std::ofstream(second / "manifest.json") << R"({"format_version": 2})";
    CHECK_THROWS_AS(store.newest_good(Damaged::set_aside), NewerVersion);
    CHECK_THROWS_WITH(store.newest_good(Damaged::set_aside),
                      test::contains("use a newer dragoman"));
  }
  CHECK(names(run / "checkpoints") == all);
  CHECK(store.newest_good(Damaged::skip)->step == 1);
  std::filesystem::remove_all(run / "checkpoints/step-00000001");
  CHECK_THROWS_AS(store.newest_good(Damaged::skip), std::exception);
  CHECK_THROWS_WITH(store.newest_good(Damaged::skip), !test::contains("remove the folder"));
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

TEST_CASE("Checkpoints without a good one are an error, also the second time", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  damage(run / "checkpoints/step-00000001/state.json");
  CHECK_THROWS_WITH(store.newest_good(Damaged::set_aside),
                    test::contains("no intact one") && test::contains("state.json: its SHA-256"));
  CHECK_THROWS_WITH(store.newest_good(Damaged::set_aside),
                    test::contains("step-00000001.bad: was set aside before"));
}

TEST_CASE("Retention keeps the newest ones and the best of each metric", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path(), 2);
  for (const int step : {1, 2, 3, 4, 5, 6}) store.save(step, fill);
  store.mark_best("bleu", 2);
  store.mark_best("loss", 6);
  store.retain();
  CHECK(steps(store) == std::vector<std::int64_t>{6, 5, 2});
  CHECK(store.best("bleu")->step == 2);
  CHECK_FALSE(store.best("chrf"));

  store.mark_best("bleu", 5);
  store.retain();
  CHECK(steps(store) == std::vector<std::int64_t>{6, 5});
  CHECK_THROWS_AS(store.mark_best("bleu", 2), ContractError);
}

TEST_CASE("A checkpoint is chosen by its name, as the best or as the newest good one", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  for (const int step : {1, 2, 3}) store.save(step, fill);
  store.mark_best("bleu", 1);
  damage(run / "checkpoints/step-00000003/weights");
  CHECK(store.choose("latest").step == 2);
  CHECK(store.choose("best-bleu").step == 1);
  CHECK(store.choose("step-00000003").step == 3);
  CHECK_THROWS_WITH(store.choose("best-chrf"),
                    test::contains("no checkpoint 'best-chrf' here; there are step-00000003, "
                                   "step-00000002, step-00000001"));
  CHECK_THROWS_AS(store.choose("best-/../../latest"), DataError);
}

TEST_CASE("Only names that a rename gave are checkpoints", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  for (const char* name : {"step-00000002.tmp-17", "step-00000003.bad", "step-4", "step-0000000x",
                           "step-00000005.tmp-delete", "other"})
    std::filesystem::create_directory(run / "checkpoints" / name);
  CHECK(steps(store) == std::vector<std::int64_t>{1});
  CHECK_FALSE(store.find("../checkpoints/step-00000001"));
  store.remove_leftovers();
  CHECK(names(run / "checkpoints") == std::vector<std::string>{"other", "step-00000001",
                                                               "step-00000003.bad", "step-0000000x",
                                                               "step-4"});
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
  CHECK(store.latest()->step == 1);
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

}  // namespace checkpoint_store_test
