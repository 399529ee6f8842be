#include "dragoman/text/byte_source.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace dragoman {

namespace {

constexpr unsigned gzip_buffer_bytes = 1 << 17;

int open_for_reading(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file))
    throw DataError(concat(file.string(), ": is a folder, not a file"));
  const int number = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0)
    throw DataError(concat(file.string(), ": cannot be opened: ", system_error_text(errno)));
  return number;
}

class PlainBytes : public ByteSource {
 public:
  PlainBytes(int descriptor, std::string place)
      : descriptor_(descriptor), place_(std::move(place)) {}
  ~PlainBytes() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  PlainBytes(const PlainBytes&) = delete;
  PlainBytes& operator=(const PlainBytes&) = delete;

  std::size_t read(std::span<char> buffer) override {
    for (;;) {
      const auto count = ::read(descriptor_, buffer.data(), buffer.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR)
        throw DataError(concat(place_, ": cannot be read: ", system_error_text(errno)));
    }
  }

  bool would_wait() const override {
    pollfd wait{descriptor_, POLLIN, 0};
    return ::poll(&wait, 1, 0) == 0;
  }

 private:
  int descriptor_;
  std::string place_;
};

/// zlib's message without the name that it gives to the file: "<fd:5>: ".
std::string_view fact_of(std::string_view message) {
  const auto name_end = message.find(">: ");
  return message.starts_with("<fd:") && name_end != message.npos ? message.substr(name_end + 3)
                                                                 : message;
}

class GzipBytes : public ByteSource {
 public:
  explicit GzipBytes(const std::filesystem::path& file) : place_(file.string()) {
    const int descriptor = open_for_reading(file);
    if (std::error_code error; std::filesystem::is_regular_file(file, error) &&
                               std::filesystem::file_size(file, error) == 0 && !error) {
      ::close(descriptor);
      throw DataError(concat(place_, ": is empty, which gzip data never is; get the file again"));
    }
    file_ = ::gzdopen(descriptor, "rb");
    if (file_ == nullptr) {
      ::close(descriptor);
      throw DataError(concat(place_, ": cannot be opened: no memory for decompression"));
    }
    ::gzbuffer(file_, gzip_buffer_bytes);
  }
  ~GzipBytes() override { ::gzclose(file_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(std::span<char> buffer) override {
    const int count = ::gzread(file_, buffer.data(), static_cast<unsigned>(buffer.size()));
    if (count > 0 && ::gzdirect(file_) != 0)
      throw DataError(concat(place_, ": is not gzip data, though its name ends in .gz; rename it"));
    int state = Z_OK;
    std::string_view text = ::gzerror(file_, &state);
    if (count < 0 || (state != Z_OK && state != Z_STREAM_END))
      throw DataError(
          concat(place_, ": is damaged gzip data: ", fact_of(text), "; get the file again"));
    return static_cast<std::size_t>(count);
  }

  bool would_wait() const override { return false; }

 private:
  std::string place_;
  gzFile file_ = nullptr;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file) {
  if (file.extension() == ".gz") return std::make_unique<GzipBytes>(file);
  return std::make_unique<PlainBytes>(open_for_reading(file), file.string());
}

std::unique_ptr<ByteSource> standard_input_bytes() {
  return std::make_unique<PlainBytes>(STDIN_FILENO, "standard input");
}

}  // namespace dragoman
