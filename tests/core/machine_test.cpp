#include "dragoman/core/machine.h"

#include "support/catch.h"
#include "support/temporary_directory.h"

#include <sched.h>

#include <fstream>

namespace machine_test {

using namespace dragoman;

namespace {

struct Machine {
  test::TemporaryDirectory folder;
  Machine() { write("meminfo", "MemTotal:  2000 kB\nMemFree: 100 kB\nMemAvailable:   1000 kB\n"); }

  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << content;
  }
  std::optional<std::int64_t> quota() const {
    return quota_of_cores(folder / "cgroup", folder / "groups");
  }
  std::optional<std::int64_t> available() const {
    return available_memory(folder / "meminfo", folder / "cgroup", folder / "groups");
  }
};

}  // namespace

TEST_CASE("available memory is the kernel's where no group limits it", "[unit]") {
  const Machine machine;
  CHECK(machine.available() == 1000 * 1024);
  machine.write("cgroup", "0::/a/b\n");
  machine.write("groups/a/b/memory.max", "max\n");
  machine.write("groups/a/b/memory.current", "5\n");
  CHECK(machine.available() == 1000 * 1024);
}

TEST_CASE("a limit of any group above counts", "[unit]") {
  const Machine machine;
  machine.write("cgroup", "0::/a/b\n");
  machine.write("groups/a/memory.max", "600000\n");
  machine.write("groups/a/memory.current", "400000\n");
  CHECK(machine.available() == 200000);
  machine.write("groups/a/memory.stat", "anon 1\ninactive_file 50000\n");
  CHECK(machine.available() == 250000);
  const auto limit = [&machine] {
    return limit_of_memory(machine.folder / "cgroup", machine.folder / "groups");
  };
  CHECK(limit() == 600000);
  machine.write("groups/a/b/memory.max", "max\n");
  CHECK(limit() == 600000);
  machine.write("groups/a/memory.max", "max\n");
  CHECK_FALSE(limit());
}

TEST_CASE("limits of the first version of control groups count too", "[unit]") {
  const Machine machine;
  machine.write("cgroup", "5:cpu,cpuacct:/x\n4:memory:/box\n");
  machine.write("groups/memory/box/memory.limit_in_bytes", "300000\n");
  machine.write("groups/memory/box/memory.usage_in_bytes", "100000\n");
  CHECK(machine.available() == 200000);
  CHECK(limit_of_memory(machine.folder / "cgroup", machine.folder / "groups") == 300000);
}

TEST_CASE("a group's quota of processor time counts as cores, rounded up", "[unit]") {
  const Machine machine;
  CHECK_FALSE(machine.quota());
  machine.write("cgroup", "0::/a/b\n");
  machine.write("groups/a/b/cpu.max", "max 100000\n");
  CHECK_FALSE(machine.quota());
  machine.write("groups/a/cpu.max", "150000 100000\n");
  CHECK(machine.quota() == 2);
  machine.write("groups/a/b/cpu.max", "50000 100000\n");
  CHECK(machine.quota() == 1);
}

TEST_CASE("quotas of the first version of control groups count too", "[unit]") {
  const Machine machine;
  machine.write("cgroup", "5:cpu,cpuacct:/x\n4:memory:/box\n");
  machine.write("groups/cpu/x/cpu.cfs_period_us", "100000\n");
  machine.write("groups/cpu/x/cpu.cfs_quota_us", "-1\n");
  CHECK_FALSE(machine.quota());
  machine.write("groups/cpu/x/cpu.cfs_quota_us", "300000\n");
  CHECK(machine.quota() == 3);
}

TEST_CASE("free disk is that of the nearest folder there is", "[unit]") {
  const Machine machine;
  const auto here = free_disk(machine.folder.path());
  REQUIRE(here);
  CHECK(*here > 0);
  CHECK(free_disk(machine.folder / "not/yet/there"));
  CHECK(free_disk("not-there"));
}

TEST_CASE("a process bound to one core could reach all that it had before", "[unit]") {
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  const auto cores = reachable_cores();
  CHECK(cores >= CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  const auto from_one = reachable_cores();
  cpu_set_t after;
  REQUIRE(::sched_getaffinity(0, sizeof after, &after) == 0);
  ::sched_setaffinity(0, sizeof before, &before);
  CHECK(from_one == cores);
  CHECK(CPU_COUNT(&after) == 1);
}

TEST_CASE("folders that do not exist yet are on the disk of the nearest one above", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK(on_same_disk(folder / "a/b", folder / "c"));
  CHECK_FALSE(on_same_disk(folder / "a", "/proc/self"));
}

}  // namespace machine_test
