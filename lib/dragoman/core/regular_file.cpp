#include "dragoman/core/regular_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace dragoman {

Descriptor open_regular_file(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a FIFO would wait for its writer.
  Descriptor file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat facts{};
  if (::fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode))
    throw DataError(concat(
        path.string(), ": is not a regular file; give one in place of a pipe, device or folder"));
  return file;
}

std::string read_regular_file(const std::filesystem::path& path) {
  return open_regular_file(path).read();
}

std::string read_small_file(const std::filesystem::path& path) {
  constexpr std::int64_t most_bytes = std::int64_t{16} << 20;
  const auto file = open_regular_file(path);
  if (file.size() > most_bytes)
    throw DataError(concat(path.string(), ": has ", file.size(),
                           " bytes, far more than such a file needs; restore the original file"));
  return file.read();
}

}  // namespace dragoman
