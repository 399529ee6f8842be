#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// Bytes of memory that this process may still take without swapping: what the kernel calls
/// available, or less if a control group sets a limit. None if the system does not report it.
std::optional<std::int64_t> available_memory();

/// The same, read from a file like /proc/meminfo and the folder where control groups are mounted.
/// \param group_paths a file like /proc/self/cgroup
std::optional<std::int64_t> available_memory(const std::filesystem::path& meminfo,
                                             const std::filesystem::path& group_paths,
                                             const std::filesystem::path& groups);

/// Cores that this process may use: those it is bound to, or fewer if a control group limits its
/// share of the processors' time (rounded up).
std::int64_t available_cores();

/// The cores that a control group's quota allows, rounded up; none if there is no quota. The
/// parameters are those of `available_memory`.
std::optional<std::int64_t> quota_of_cores(const std::filesystem::path& group_paths,
                                           const std::filesystem::path& groups);

/// The quota of this process.
std::optional<std::int64_t> quota_of_cores();

/// Cores that this process could run on if nothing but its container or control group bound it: all
/// of the machine, or less; a launcher may have bound it to fewer.
/// \throws DataError if the system refuses a thread
std::int64_t reachable_cores();

/// Indices of the cores that this thread may run on; none if the system does not tell.
std::vector<int> own_cores();

/// The machine's name in the network, or "localhost".
std::string host_name();

/// Bytes of memory that the machine has, whoever uses them, or less if a control group sets a
/// limit.
std::int64_t machine_memory();

/// That limit; none if there is none. The parameters are those of `available_memory`.
std::optional<std::int64_t> limit_of_memory(const std::filesystem::path& group_paths,
                                            const std::filesystem::path& groups);

/// Bytes free for this user on the disk that holds `path`, or would hold it: the nearest folder
/// above that exists counts.
std::optional<std::int64_t> free_disk(std::filesystem::path path);

/// Whether two folders are, or would be made, on the same disk (file system).
bool on_same_disk(const std::filesystem::path& a, const std::filesystem::path& b);

/// Why no file can be made in a folder, which need not exist yet: "/mnt: Read-only file system".
std::optional<std::string> folder_fault(const std::filesystem::path& folder);

}  // namespace dragoman
