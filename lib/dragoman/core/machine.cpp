#include "dragoman/core/machine.h"

#include "dragoman/core/file.h"
#include "dragoman/core/thread.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// The number after `key` in lines such as "MemAvailable: 123 kB" or "inactive_file 123".
std::optional<std::int64_t> number_after(const fs::path& file, std::string_view key) {
  std::ifstream stream(file);
  std::string word;
  std::int64_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    if (words >> word >> number && word == key) return number;
  }
  return std::nullopt;
}

/// A file that holds one number; none for "max" and where there is no such file.
std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  if (stream >> number) return number;
  return std::nullopt;
}

/// What a group's limit leaves; page cache that the kernel can drop counts as free.
std::optional<std::int64_t> left_in_group(const fs::path& folder, const char* limit_file,
                                          const char* usage_file, const char* cache_key) {
  const auto limit = number_in(folder / limit_file);
  const auto usage = number_in(folder / usage_file);
  if (!limit || !usage) return std::nullopt;
  const auto cache = number_after(folder / "memory.stat", cache_key).value_or(0);
  return std::max<std::int64_t>(0, *limit - *usage + std::min(cache, *usage));
}

std::optional<std::int64_t> memory_left(const fs::path& folder, bool second_version) {
  return second_version ? left_in_group(folder, "memory.max", "memory.current", "inactive_file")
                        : left_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                        "total_inactive_file");
}

std::optional<std::int64_t> memory_of_group(const fs::path& folder, bool second_version) {
  return number_in(folder / (second_version ? "memory.max" : "memory.limit_in_bytes"));
}

/// The cores that a group's quota allows, rounded up.
std::optional<std::int64_t> cores_of_group(const fs::path& folder, bool second_version) {
  std::int64_t quota = 0, period = 0;
  if (second_version) {
    std::ifstream stream(folder / "cpu.max");  // "150000 100000", or "max 100000"
    if (!(stream >> quota >> period)) return std::nullopt;
  } else {
    quota = number_in(folder / "cpu.cfs_quota_us").value_or(-1);
    period = number_in(folder / "cpu.cfs_period_us").value_or(0);
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return (quota + period - 1) / period;
}

/// The smallest limit that the groups of this process and those above them set.
/// \param controller "memory"
/// \param limit_of a group's folder, of the second version of control groups or the first
template <typename LimitOf>
std::optional<std::int64_t> smallest_limit(const fs::path& group_paths, const fs::path& groups,
                                           const std::string& controller, const LimitOf& limit_of) {
  std::optional<std::int64_t> smallest;
  std::ifstream stream(group_paths);
  for (std::string line; std::getline(stream, line);) {
    // "0::/user.slice" of version 2, "5:memory:/docker/1f" of version 1
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const bool second_version = controllers == ",,";
    if (!second_version && controllers.find(',' + controller + ',') == controllers.npos) continue;
    const auto root = second_version ? groups : groups / controller;
    for (auto folder = fs::path(line.substr(second + 1)).relative_path();;
         folder = folder.parent_path()) {
      const auto limit = limit_of(root / folder, second_version);
      if (limit && (!smallest || *limit < *smallest)) smallest = limit;
      if (folder.empty()) break;
    }
  }
  return smallest;
}

/// Sets of cores for the system, which refuses fewer bits than it counts cores.
using CpuSets = std::vector<cpu_set_t>;
constexpr std::size_t most_cpu_sets = 64;  // 65,536 cores

std::size_t size_of(const CpuSets& sets) { return sets.size() * sizeof(cpu_set_t); }

/// The path, or the nearest folder above it that exists.
fs::path nearest_existing(const fs::path& path) {
  std::error_code error;
  auto found = fs::absolute(path, error);
  while (!fs::exists(found, error) && found != found.parent_path()) found = found.parent_path();
  return found;
}

}  // namespace

std::optional<std::int64_t> available_memory(const fs::path& meminfo, const fs::path& group_paths,
                                             const fs::path& groups) {
  auto available = number_after(meminfo, "MemAvailable:");
  if (available) *available *= 1024;
  const auto left = smallest_limit(group_paths, groups, "memory", memory_left);
  return left && (!available || *left < *available) ? left : available;
}

std::optional<std::int64_t> quota_of_cores(const fs::path& group_paths, const fs::path& groups) {
  return smallest_limit(group_paths, groups, "cpu", cores_of_group);
}

std::optional<std::int64_t> quota_of_cores() {
  return quota_of_cores("/proc/self/cgroup", "/sys/fs/cgroup");
}

std::vector<int> own_cores() {
  CpuSets sets(most_cpu_sets);
  std::vector<int> cores;
  if (::sched_getaffinity(0, size_of(sets), sets.data()) != 0) return cores;
  const auto most = static_cast<int>(most_cpu_sets) * CPU_SETSIZE;
  for (int core = 0; core < most; ++core)
    if (CPU_ISSET_S(core, size_of(sets), sets.data())) cores.push_back(core);
  return cores;
}

std::string host_name() {
  std::array<char, 256> name{};
  const bool known = ::gethostname(name.data(), name.size() - 1) == 0 && name.front() != '\0';
  return known ? name.data() : "localhost";
}

std::int64_t available_cores() {
  const auto bound = std::max<std::int64_t>(1, std::ssize(own_cores()));
  return std::min(bound, quota_of_cores().value_or(bound));
}

std::optional<std::int64_t> available_memory() {
  return available_memory("/proc/meminfo", "/proc/self/cgroup", "/sys/fs/cgroup");
}

std::int64_t reachable_cores() {
  std::int64_t cores = 0;
  // The kernel reduces the mask to the control group's cores; only this thread asks for all.
  start_thread<std::jthread>([&cores] {
    CpuSets all(most_cpu_sets);
    std::memset(all.data(), 0xFF, size_of(all));
    ::sched_setaffinity(0, size_of(all), all.data());  // if it is refused, what is bound counts
    cores = std::ssize(own_cores());
  }).join();
  return cores;
}

std::optional<std::int64_t> free_disk(fs::path path) {
  path = nearest_existing(path);
  struct statvfs facts{};
  if (::statvfs(path.c_str(), &facts) != 0) return std::nullopt;
  // A network's file system may report more than fits, as "no limit".
  std::int64_t bytes = 0;
  return __builtin_mul_overflow(facts.f_bavail, facts.f_frsize, &bytes)
             ? std::numeric_limits<std::int64_t>::max()
             : bytes;
}

bool on_same_disk(const fs::path& a, const fs::path& b) {
  struct stat of_a{}, of_b{};
  return ::stat(nearest_existing(a).c_str(), &of_a) == 0 &&
         ::stat(nearest_existing(b).c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev;
}

std::optional<std::string> folder_fault(const fs::path& folder) {
  std::error_code error;
  const auto path = nearest_existing(folder);
  if (!fs::is_directory(path, error)) return path.string() + ": is not a folder";
  if (::access(path.c_str(), W_OK | X_OK) == 0) return std::nullopt;
  return path.string() + ": " + system_error_text(errno);
}

std::optional<std::int64_t> limit_of_memory(const fs::path& group_paths, const fs::path& groups) {
  return smallest_limit(group_paths, groups, "memory", memory_of_group);
}

std::int64_t machine_memory() {
  const auto all = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::min(all, limit_of_memory("/proc/self/cgroup", "/sys/fs/cgroup").value_or(all));
}

}  // namespace dragoman
