#include "dragoman/storage/mapped_file.h"

#include "dragoman/core/file.h"
#include "dragoman/core/system_error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace dragoman {

namespace {

[[noreturn]] void throw_unreadable(const std::filesystem::path& path, int error_number) {
  throw SystemError(concat(path.string(), ": cannot be read: ", system_error_text(error_number)),
                    error_number);
}

std::string_view map(const std::filesystem::path& path, int descriptor) {
  struct stat facts{};
  if (::fstat(descriptor, &facts) != 0) throw_unreadable(path, errno);
  if (!S_ISREG(facts.st_mode)) throw DataError(concat(path.string(), ": is not a regular file"));
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return {};  // mmap refuses a length of 0
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (start == MAP_FAILED) throw_unreadable(path, errno);
  return {static_cast<const char*>(start), size};
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a FIFO would wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw_unreadable(path, errno);
  try {
    bytes_ = map(path, descriptor);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void MappedFile::drop_pages() const {
  if (!bytes_.empty()) ::madvise(const_cast<char*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

}  // namespace dragoman
