#include "dragoman/run/folder_access.h"

#include <cerrno>
#include <system_error>

namespace dragoman {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> entries;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    entries.push_back(at->path());
  if (error && error.value() != ENOENT && error.value() != ENOTDIR)
    throw DataError(concat(folder.string(), ": cannot be listed: ", error.message()));
  return entries;
}

}  // namespace dragoman
