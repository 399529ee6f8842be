#include "dragoman/storage/atomic_file.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace dragoman {

namespace {

[[noreturn]] void fail_writing(const std::filesystem::path& path, int error_number) {
  throw DataError(concat(path.string(), ": cannot be written: ", system_error_text(error_number)));
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path)
    : path_(path),
      temporary_(path.string() + ".new"),
      descriptor_(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail_writing(temporary_, errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_writing(temporary_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail_writing(temporary_, errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_writing(path_, errno);
  ::close(descriptor_);
  descriptor_ = -1;
  const auto folder = path_.parent_path();
  sync_directory(folder.empty() ? std::filesystem::path(".") : folder);
}

}  // namespace dragoman
