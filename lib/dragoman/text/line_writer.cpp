#include "dragoman/text/line_writer.h"

#include "dragoman/core/descriptor.h"

#include <unistd.h>

namespace dragoman {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

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
    Descriptor::copy_of(STDOUT_FILENO, "standard output").write(buffer_);
  }
  buffer_.clear();
}

void LineWriter::finish() {
  flush();
  if (file_) file_->commit();
}

}  // namespace dragoman
