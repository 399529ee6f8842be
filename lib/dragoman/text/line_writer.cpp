#include "dragoman/text/line_writer.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

#include <unistd.h>

#include <cerrno>

namespace dragoman {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

void write_standard_output(std::string_view rest) {
  while (!rest.empty()) {
    const auto count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count < 0 && errno != EINTR)
      throw DataError(concat("standard output: cannot be written: ", system_error_text(errno)));
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

LineWriter::LineWriter() = default;

LineWriter::LineWriter(const std::filesystem::path& file)
    : file_(std::make_unique<AtomicFile>(file)) {}

LineWriter LineWriter::standard_output() { return {}; }

void LineWriter::write(std::string_view line) {
  buffer_ += line;
  buffer_ += '\n';
  if (buffer_.size() >= buffer_bytes) flush();
}

void LineWriter::flush() {
  if (file_) {
    file_->append(buffer_);
  } else {
    write_standard_output(buffer_);
  }
  buffer_.clear();
}

void LineWriter::finish() {
  flush();
  if (file_) file_->commit();
}

}  // namespace dragoman
