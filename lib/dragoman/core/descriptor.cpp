#include "dragoman/core/descriptor.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "dragoman/core/system_error.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace dragoman {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view fact, int error_number) {
  const auto remedy = error_number == ENOENT   ? "; check the name"
                      : error_number == EACCES ? "; check who may read and write it"
                                               : "";
  throw SystemError(
      concat(path.string(), ": ", fact, ": ", system_error_text(error_number), remedy),
      error_number);
}

bool can_be_synced(int number) {
  struct stat facts{};
  return ::fstat(number, &facts) != 0 || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode);
}

/// Whether a call that has failed is to be repeated; waits until it can do something.
bool is_to_be_repeated(int number, short event) {
  const int error = errno;
  if (error == EAGAIN || error == EWOULDBLOCK) {
    pollfd wait{number, event, 0};
    ::poll(&wait, 1, -1);
    return true;
  }
  return error == EINTR;
}

}  // namespace

Descriptor::Descriptor(const std::filesystem::path& path, int flags, unsigned mode)
    : path_(path), number_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {
  if (number_ < 0) fail(path_, "cannot be opened", errno);
}

Descriptor::Descriptor(int number, std::filesystem::path path)
    : path_(std::move(path)), number_(number) {}

Descriptor Descriptor::copy_of(int number, std::filesystem::path path) {
  const int copy = ::fcntl(number, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) fail(path, "cannot be opened", errno);
  return {copy, std::move(path)};
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : path_(std::move(other.path_)), number_(std::exchange(other.number_, -1)) {}

std::int64_t Descriptor::size() const {
  struct stat facts{};
  if (::fstat(number_, &facts) != 0) fail(path_, "cannot be read", errno);
  return facts.st_size;
}

bool Descriptor::would_wait() const {
  pollfd wait{number_, POLLIN, 0};
  return ::poll(&wait, 1, 0) == 0;
}

std::size_t Descriptor::read(std::span<char> buffer) const {
  for (;;) {
    const auto count = ::read(number_, buffer.data(), buffer.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (!is_to_be_repeated(number_, POLLIN)) fail(path_, "cannot be read", errno);
  }
}

std::string Descriptor::read() const {
  constexpr std::size_t at_once = 1 << 16;
  std::string content;
  for (std::size_t size = 0;;) {
    content.resize(size + at_once);
    const auto count = read(std::span(content).subspan(size));
    size += count;
    if (count > 0) continue;
    content.resize(size);
    return content;
  }
}

void Descriptor::write(std::string_view content) const {
  while (!content.empty()) {
    const auto written = ::write(number_, content.data(), content.size());
    if (written < 0) {
      if (is_to_be_repeated(number_, POLLOUT)) continue;
      fail(path_, "cannot be written", errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Descriptor::sync() const {
  if (!can_be_synced(number_)) return;
  while (::fsync(number_) != 0)
    if (errno != EINTR) fail(path_, "cannot be synced to the disk", errno);
}

void Descriptor::close() {
  const int number = std::exchange(number_, -1);
  if (::close(number) != 0) fail(path_, "cannot be closed", errno);
}

}  // namespace dragoman
