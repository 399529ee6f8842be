#include "dragoman/core/output_place.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as Linux

/// The folder of `path` without symbolic links; as it stands where there is none.
fs::path folder_of(const fs::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code missing;
  auto real = fs::canonical(folder, missing);
  return missing ? folder : real;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

/// The number of /proc/self/fd/NUMBER.
std::optional<int> own_descriptor(const fs::path& folder, const std::string& name) {
  if (folder != fs::path("/proc") / std::to_string(::getpid()) / "fd") return std::nullopt;
  int number = 0;
  const auto* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace

OutputPlace output_place(const fs::path& path) {
  std::error_code error;
  auto file = path;
  for (int links = 0;; ++links) {
    const auto folder = folder_of(file);
    const bool in_proc = is_below(folder, "/proc");
    if (const auto number = own_descriptor(folder, file.filename().string()))
      return {.file = file, .in_place = true, .descriptor = number};
    const auto status = fs::symlink_status(file, error);
    // A link below /proc is no name of a file, even where it reads like one.
    if (!fs::is_symlink(status) || in_proc) {
      const bool special = fs::exists(status) && !fs::is_regular_file(status);
      const bool in_dev = is_below(folder, "/dev") && !is_below(folder, "/dev/shm");
      return {.file = file, .in_place = special || in_proc || in_dev};
    }
    if (links == most_links)
      throw DataError(concat(path.string(), ": its symbolic links run in a circle; name a file"));
    const auto next = fs::read_symlink(file, error);
    if (error) throw DataError(concat(file.string(), ": cannot be followed: ", error.message()));
    file = next.is_absolute() ? next : file.parent_path() / next;
  }
}

}  // namespace dragoman
