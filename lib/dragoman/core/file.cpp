#include "dragoman/core/file.h"

#include "dragoman/core/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace dragoman {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view fact, int error_number) {
  throw DataError(concat(path.string(), ": ", fact, ": ", system_error_text(error_number)));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : path_(path), number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) fail(path_, "cannot be opened", errno);
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

  void write(std::string_view content) const {
    while (!content.empty()) {
      const auto written = ::write(number_, content.data(), content.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        fail(path_, "cannot be written", errno);
      }
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void sync() const {
    if (::fsync(number_) != 0) fail(path_, "cannot be synced to the disk", errno);
  }

  void close() {
    const int number = std::exchange(number_, -1);
    if (::close(number) != 0) fail(path_, "cannot be closed", errno);
  }

 private:
  std::filesystem::path path_;
  int number_;
};

void write_and_sync(const std::filesystem::path& path, std::span<const std::string_view> parts,
                    int flags) {
  Descriptor file(path, flags);
  for (const auto part : parts) file.write(part);
  file.sync();
  file.close();
}

}  // namespace

std::string system_error_text(int error_number) {
  return std::system_category().message(error_number);
}

std::string read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path))
    throw DataError(concat(path.string(), ": is a folder, not a file"));
  const Descriptor file(path, O_RDONLY);
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const auto count = ::read(file.number(), buffer, sizeof buffer);
    if (count == 0) return content;
    if (count > 0) {
      content.append(buffer, static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      fail(path, "cannot be read", errno);
    }
  }
}

void write_new_file(const std::filesystem::path& path, std::string_view content) {
  write_new_file(path, std::span(&content, 1));
}

void write_new_file(const std::filesystem::path& path, std::span<const std::string_view> parts) {
  write_and_sync(path, parts, O_WRONLY | O_CREAT | O_EXCL);
}

void expect_empty_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return;
  if (!std::filesystem::is_directory(folder, error) || !std::filesystem::is_empty(folder, error))
    throw DataError(concat(folder.string(), ": exists and is not an empty folder; name a new one"));
}

void sync_directory(const std::filesystem::path& directory) {
  Descriptor(directory, O_RDONLY | O_DIRECTORY).sync();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = path.string() + concat(".tmp-", ::getpid());
  try {
    write_and_sync(temporary, std::span(&content, 1), O_WRONLY | O_CREAT | O_TRUNC);
    std::filesystem::rename(temporary, path);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    if (dynamic_cast<const Error*>(&error) != nullptr) throw;
    throw DataError(concat(path.string(), ": cannot be written: ", error.what()));
  }
  const auto directory = path.parent_path();
  sync_directory(directory.empty() ? std::filesystem::path(".") : directory);
}

}  // namespace dragoman
