#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// What the lines of a text are read for; it decides what happens to bytes that are not plain text.
enum class LineUse {
  training,     ///< bad UTF-8 is refused; controls become blanks, blanks at both ends are removed
  translation,  ///< each bad byte becomes U+FFFD; otherwise as training
  scoring,      ///< bad UTF-8 is refused; the text stays as it is
};

/// The longest line in bytes; a longer one is refused, for translation cut there.
inline constexpr std::size_t max_line_bytes = std::size_t{16} << 20;

/// A line without its end.
struct Line {
  std::string text;
  std::int64_t number = 0;     ///< from 1
  bool had_bad_bytes = false;  ///< some became U+FFFD (translation only)
  bool was_cut = false;        ///< it was longer than `max_line_bytes` (translation only)
};

class ByteSource;

/// Reads the lines of a text one by one, in memory that does not grow with the text.
///
/// A line ends with LF and nothing else; one CR before the LF goes with it, and the last line
/// counts even without an LF. A byte order mark at the start of the text is removed.
class LineReader {
 public:
  /// A file, decompressed if its name ends in ".gz".
  /// \throws DataError if it cannot be opened.
  LineReader(const std::filesystem::path& file, LineUse use);

  /// Standard input; a line is returned as soon as it is complete.
  static LineReader standard_input(LineUse use);

  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  /// The next line; none at the end.
  /// \throws DataError "FILE: line 7, byte 6: fact; remedy" for bad UTF-8, for UTF-16, for
  ///     gzip data under another name and the reverse, and where reading fails. Bytes count from 1.
  std::optional<Line> next();

  /// Whether `next` would block waiting for input (terminals and pipes).
  bool would_wait() const;

  const std::string& place() const { return place_; }  ///< the text's name in messages

 private:
  LineReader(std::unique_ptr<ByteSource> bytes, std::string place, LineUse use);
  bool fill();
  std::optional<Line> next_bytes();
  void cut(Line& line);
  bool is_utf16(std::string_view first_line);
  void expect_text(std::string_view first_line);

  std::unique_ptr<ByteSource> bytes_;
  std::string place_;
  LineUse use_;
  std::string buffer_;
  std::size_t begin_ = 0;    ///< where the next line starts in buffer_
  std::size_t scanned_ = 0;  ///< buffer_ has no LF between begin_ and here
  bool ended_ = false;
  std::int64_t number_ = 0;
};

/// All lines of a file. \throws DataError as `LineReader` does.
std::vector<std::string> read_lines(const std::filesystem::path& file,
                                    LineUse use = LineUse::training);

/// The first lines of a file, at most `most`. \throws DataError as `LineReader` does
std::vector<std::string> first_lines(const std::filesystem::path& file, std::size_t most,
                                     LineUse use = LineUse::training);

/// The text of one line that does not come from a file, cleaned as `LineUse::translation` does.
Line clean_line(std::string_view line);

}  // namespace dragoman
