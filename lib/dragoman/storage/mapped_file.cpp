#include "dragoman/storage/mapped_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "dragoman/core/system_error.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace dragoman {

namespace {

[[noreturn]] void throw_unreadable(const std::filesystem::path& path, int error_number) {
  throw SystemError(concat(path.string(), ": cannot be read: ", system_error_text(error_number)),
                    error_number);
}

// Without O_NONBLOCK, opening a FIFO would wait for its writer.
Descriptor opened(const std::filesystem::path& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0) throw_unreadable(path, errno);
  return {number, path};
}

struct ::stat facts_of(const Descriptor& file) {
  struct ::stat facts{};
  if (::fstat(file.number(), &facts) != 0) throw_unreadable(file.path(), errno);
  return facts;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path)
    : file_(opened(path)), facts_(facts_of(file_)) {
  if (!S_ISREG(facts_.st_mode))
    throw DataError(concat(
        path.string(), ": is not a regular file; give one in place of a pipe, device or folder"));
  const auto size = static_cast<std::size_t>(facts_.st_size);
  if (size == 0) return;  // mmap refuses a length of 0
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_.number(), 0);
  if (start == MAP_FAILED) throw_unreadable(path, errno);
  bytes_ = {static_cast<const char*>(start), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void MappedFile::drop_pages() const {
  if (!bytes_.empty()) ::madvise(const_cast<char*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

void MappedFile::expect_unchanged() const {
  const auto now = facts_of(file_);
  if (now.st_size == facts_.st_size && now.st_mtim.tv_sec == facts_.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == facts_.st_mtim.tv_nsec)
    return;
  throw FormatError(concat(file_.path().string(),
                           ": was changed after it was opened; open it again, and replace files "
                           "that are in use instead of writing to them"));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : file_(std::move(other.file_)),
      facts_(other.facts_),
      bytes_(std::exchange(other.bytes_, {})) {}

}  // namespace dragoman
