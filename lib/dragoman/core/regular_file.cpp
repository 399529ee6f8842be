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
    throw DataError(concat(path.string(), ": is not a regular file; restore the original file"));
  return file;
}

std::string read_regular_file(const std::filesystem::path& path) {
  return open_regular_file(path).read();
}

}  // namespace dragoman
