#include "dragoman/text/lines.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/utf8.h"
#include "dragoman/text/byte_source.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

constexpr std::string_view standard_input_place = "standard input";

constexpr std::size_t read_bytes = std::size_t{1} << 16;

struct PackedFormat {
  std::string_view begin, name, command;
};
constexpr PackedFormat packed_formats[] = {{"\x28\xB5\x2F\xFD", "zstd", "zstd -d"},
                                           {"\xFD"
                                            "7zXZ",
                                            "xz", "xz -d"},
                                           {"PK\x03\x04", "zip", "unzip"},
                                           {"\x04\x22\x4D\x18", "lz4", "lz4 -d"}};

/// Controls to blanks, then no blanks at either end.
std::string without_controls(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  text.erase(text.find_last_not_of(' ') + 1);
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

/// The place, in each pair of bytes, of the zero that every other byte of Western text in UTF-16
/// is, without a byte order mark: 0 or 1; -1 if it does not look like that.
int place_of_zeros(std::string_view text) {
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\0') ++zeros[i % 2];
  const auto [fewer, more] = std::minmax(zeros[0], zeros[1]);
  if (more < 4 || fewer > 0 || more * 3 <= text.size()) return -1;
  return zeros[0] > 0 ? 0 : 1;
}

void mend(Line& line) {
  if (utf8::find_invalid(line.text)) {
    line.text = utf8::replace_invalid(line.text);
    line.had_bad_bytes = true;
  }
}

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> bytes, std::string place, LineUse use)
    : bytes_(std::move(bytes)), place_(std::move(place)), use_(use) {}

LineReader::LineReader(const std::filesystem::path& file, LineUse use)
    : LineReader(open_bytes(file), file.string(), use) {}

LineReader LineReader::standard_input(LineUse use) {
  return LineReader(standard_input_bytes(), std::string(standard_input_place), use);
}

LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

bool LineReader::fill() {
  if (ended_) return false;
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  const auto size = buffer_.size();
  buffer_.resize(size + read_bytes);
  const auto count = bytes_->read({buffer_.data() + size, read_bytes});
  buffer_.resize(size + count);
  ended_ = count == 0;
  return !ended_;
}

std::optional<Line> LineReader::next_bytes() {
  Line line;
  line.number = ++number_;
  for (;;) {
    const auto end = buffer_.find('\n', scanned_);
    const bool found = end != std::string::npos;
    scanned_ = found ? end : buffer_.size();
    if (scanned_ - begin_ > max_line_bytes) {
      cut(line);
      return line;
    }
    if (found || (!fill() && begin_ < buffer_.size())) {
      line.text = buffer_.substr(begin_, scanned_ - begin_);
      begin_ = scanned_ = std::min(scanned_ + 1, buffer_.size());
      if (found && line.text.ends_with('\r')) line.text.pop_back();
      return line;
    }
    if (ended_) return std::nullopt;
  }
}

/// Keeps the beginning of a line that is too long and skips the rest.
void LineReader::cut(Line& line) {
  if (use_ != LineUse::translation)
    throw DataError(concat(place_, ": line ", number_, " is longer than ", max_line_bytes,
                           " bytes; is it text, one sentence a line?"));
  line.was_cut = true;
  line.text = utf8::front(std::string_view(buffer_).substr(begin_), max_line_bytes);
  for (;;) {
    const auto end = buffer_.find('\n', begin_);
    begin_ = scanned_ = end == std::string::npos ? buffer_.size() : end + 1;
    if (end != std::string::npos || !fill()) return;
  }
}

/// Whether a line that looks like UTF-16 also ends like that, and so holds no blanks written as
/// zeros.
bool LineReader::is_utf16(std::string_view first_line) {
  const int zeros = place_of_zeros(first_line);
  const bool is_last = ended_;  // without a line end
  if (zeros < 0 || is_last) return zeros >= 0 && first_line.size() % 2 == 0;
  if (zeros == 0) return first_line.back() == '\0';
  return (begin_ < buffer_.size() || fill()) && buffer_[begin_] == '\0';
}

void LineReader::expect_text(std::string_view first_line) {
  if (first_line.starts_with("\x1F\x8B"))
    throw DataError(concat(place_, place_ == standard_input_place
                                       ? ": is gzip data; pipe it through: gzip -dc"
                                   : place_.ends_with(".gz")
                                       ? ": is gzip data within gzip data; unpack it with: gzip -d"
                                       : ": is gzip data; give it a name that ends in .gz"));
  for (const auto& [begin, name, command] : packed_formats)
    if (first_line.starts_with(begin))
      throw DataError(concat(place_, ": is ", name, " data; unpack it with: ", command));
  // The fourth byte is the size of its blocks, 1 to 9.
  if (first_line.size() > 4 && first_line.starts_with("BZh") &&
      first_line.substr(4).starts_with("1AY&SY"))
    throw DataError(concat(place_, ": is bzip2 data; unpack it with: bzip2 -d"));
  if (first_line.starts_with(std::string_view("\xFF\xFE\0\0", 4)) ||
      first_line.starts_with(std::string_view("\0\0\xFE\xFF", 4)))
    throw DataError(
        concat(place_, ": is UTF-32, not UTF-8; convert it with: iconv -f UTF-32 -t UTF-8"));
  if (first_line.starts_with("\xFF\xFE") || first_line.starts_with("\xFE\xFF") ||
      is_utf16(first_line))
    throw DataError(
        concat(place_, ": is UTF-16, not UTF-8; convert it with: iconv -f UTF-16 -t UTF-8"));
}

std::optional<Line> LineReader::next() {
  auto line = next_bytes();
  if (!line) return line;
  std::size_t mark_bytes = 0;
  if (line->number == 1) {
    expect_text(line->text);
    if (line->text.starts_with("\xEF\xBB\xBF")) mark_bytes = 3;
    line->text.erase(0, mark_bytes);
  }
  if (use_ == LineUse::translation) {
    mend(*line);
  } else if (const auto bad = utf8::find_invalid(line->text)) {
    throw DataError(
        concat(place_, ": line ", number_, ", byte ", *bad + mark_bytes + 1,
               ": is not UTF-8; convert the file, or remove the line (in both files of a "
               "parallel text)"));
  }
  if (use_ != LineUse::scoring) line->text = without_controls(std::move(line->text));
  return line;
}

bool LineReader::would_wait() const {
  if (ended_ || buffer_.find('\n', scanned_) != std::string::npos) return false;
  return bytes_->would_wait();
}

std::vector<std::string> read_lines(const std::filesystem::path& file, LineUse use) {
  std::vector<std::string> lines;
  LineReader reader(file, use);
  while (auto line = reader.next()) lines.push_back(std::move(line->text));
  return lines;
}

std::vector<std::string> first_lines(const std::filesystem::path& file, std::size_t most,
                                     LineUse use) {
  std::vector<std::string> lines;
  LineReader reader(file, use);
  while (lines.size() < most) {
    auto line = reader.next();
    if (!line) break;
    lines.push_back(std::move(line->text));
  }
  return lines;
}

Line clean_line(std::string_view text) {
  Line line;
  line.text = std::string(text);
  mend(line);
  line.text = without_controls(std::move(line.text));
  return line;
}

}  // namespace dragoman
