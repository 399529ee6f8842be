#include "dragoman/text/byte_source.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/descriptor.h"
#include "dragoman/core/error.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

constexpr std::size_t gzip_buffer_bytes = 1 << 17;

Descriptor open_for_reading(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw DataError(concat(file.string(), ": is a folder; name a file"));
  return {file, O_RDONLY};
}

class PlainBytes : public ByteSource {
 public:
  explicit PlainBytes(Descriptor file) : file_(std::move(file)) {}

  std::size_t read(std::span<char> buffer) override { return file_.read(buffer); }
  bool would_wait() const override { return file_.would_wait(); }

 private:
  Descriptor file_;
};

/// Gzip data of one member or several, and zeros behind them. zlib's own reader leaves out, without
/// a word, whatever else follows a member, such as a damaged one.
class GzipBytes : public ByteSource {
 public:
  explicit GzipBytes(const std::filesystem::path& file)
      : place_(file.string()), packed_(open_for_reading(file)), buffer_(gzip_buffer_bytes) {
    if (::inflateInit2(&stream_, gzip_format) != Z_OK)
      throw DataError(concat(place_, ": cannot be opened: no memory for decompression"));
  }
  ~GzipBytes() override { ::inflateEnd(&stream_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(std::span<char> buffer) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    while (stream_.avail_out == buffer.size() && begin_member()) inflate();
    return buffer.size() - stream_.avail_out;
  }

  bool would_wait() const override { return false; }

 private:
  static constexpr int gzip_format = 15 + 16;  // the largest window, and no other format

  /// Whether there is more to inflate: of this member, or of another one that begins.
  bool begin_member() {
    if (inside_) return true;
    skip_zeros();
    if (stream_.avail_in == 0 && members_ > 0) return false;
    if (stream_.avail_in == 0)
      throw DataError(concat(place_, ": is empty, which gzip data never is; get the file again"));
    if (members_ == 0 && *stream_.next_in != 0x1F)
      throw DataError(concat(place_, ": is not gzip data, though its name ends in .gz; rename it"));
    if (members_ > 0) ::inflateReset(&stream_);
    ++members_;
    return inside_ = true;
  }

  /// Between members; nothing is left to read at the end of the file.
  void skip_zeros() {
    for (;;) {
      if (stream_.avail_in == 0 && !fill()) return;
      if (*stream_.next_in != 0 || members_ == 0) return;
      ++stream_.next_in;
      --stream_.avail_in;
    }
  }

  void inflate() {
    if (stream_.avail_in == 0 && !fill()) fail("unexpected end of file");
    const int state = ::inflate(&stream_, Z_NO_FLUSH);
    if (state == Z_STREAM_END) inside_ = false;
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
      fail(stream_.msg == nullptr ? "unknown fault" : stream_.msg);
  }

  [[noreturn]] void fail(std::string_view fact) const {
    throw DataError(concat(place_, ": is damaged gzip data: ", fact, "; get the file again"));
  }

  /// \return false at the end of the file
  bool fill() {
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(packed_.read(buffer_));
    return stream_.avail_in > 0;
  }

  std::string place_;
  Descriptor packed_;
  std::vector<char> buffer_;
  z_stream stream_ = {};
  bool inside_ = false;  ///< a member
  std::int64_t members_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file) {
  if (file.extension() == ".gz") return std::make_unique<GzipBytes>(file);
  return std::make_unique<PlainBytes>(open_for_reading(file));
}

std::unique_ptr<ByteSource> standard_input_bytes() {
  return std::make_unique<PlainBytes>(Descriptor::copy_of(STDIN_FILENO, "standard input"));
}

}  // namespace dragoman
