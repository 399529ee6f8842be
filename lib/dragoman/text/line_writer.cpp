#include "dragoman/text/line_writer.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

/// Where the lines go until `finish`; empty for what is no plain file.
fs::path temporary_for(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) return {};
  return file.string() + concat(".tmp-", ::getpid());
}

}  // namespace

LineWriter::LineWriter(int descriptor, fs::path file, fs::path temporary)
    : descriptor_(descriptor), file_(std::move(file)), temporary_(std::move(temporary)) {}

LineWriter::LineWriter(const fs::path& file) : LineWriter(-1, file, temporary_for(file)) {
  const auto& target = temporary_.empty() ? file_ : temporary_;
  descriptor_ = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(std::exchange(errno, 0));
}

LineWriter LineWriter::standard_output() { return {STDOUT_FILENO, "standard output", {}}; }

LineWriter::LineWriter(LineWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      file_(std::move(other.file_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)) {}

LineWriter::~LineWriter() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void LineWriter::fail(int error_number) const {
  throw DataError(concat(file_.string(), ": cannot be written: ", system_error_text(error_number)));
}

void LineWriter::write(std::string_view line) {
  buffer_ += line;
  buffer_ += '\n';
  if (buffer_.size() >= buffer_bytes) flush();
}

void LineWriter::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const auto count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) fail(errno);
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

void LineWriter::finish() {
  flush();
  if (temporary_.empty()) return;
  if (::fsync(descriptor_) != 0) fail(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  std::error_code failed;
  fs::rename(temporary_, file_, failed);
  if (failed) fail(failed.value());
  temporary_.clear();
  const auto folder = file_.parent_path();
  sync_directory(folder.empty() ? fs::path(".") : folder);
}

}  // namespace dragoman
