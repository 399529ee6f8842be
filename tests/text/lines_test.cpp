#include "dragoman/text/lines.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

#include <unistd.h>
#include <zlib.h>

namespace lines_test {

using namespace dragoman;
using test::contains;
using Lines = std::vector<std::string>;

namespace {

Lines lines_of(std::string_view content, LineUse use = LineUse::training) {
  const test::TemporaryDirectory folder;
  return read_lines(test::write(folder / "text", content), use);
}

std::string gzip(std::string_view content) {
  const test::TemporaryDirectory folder;
  const auto path = folder / "x.gz";
  const gzFile file = ::gzopen(path.c_str(), "wb");
  ::gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  ::gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a line ends with LF only", "[unit]") {
  CHECK(lines_of("a\nb\n") == Lines{"a", "b"});
  CHECK(lines_of("a\nb") == Lines{"a", "b"});
  CHECK(lines_of("a\n\n") == Lines{"a", ""});
  CHECK(lines_of("").empty());
  CHECK(lines_of("a\xE2\x80\xA8"
                 "b\xC2\x85"
                 "c\n") == Lines{"a\xE2\x80\xA8"
                                 "b\xC2\x85"
                                 "c"});
}

TEST_CASE("one CR before the LF goes with it and others are blanks", "[unit]") {
  CHECK(lines_of("a\r\nb\r\n") == Lines{"a", "b"});
  CHECK(lines_of("a\rb\n") == Lines{"a b"});
  CHECK(lines_of("a\r\r\nb", LineUse::scoring) == Lines{"a\r", "b"});
}

TEST_CASE("controls become blanks and blanks at the ends go, but not for scoring", "[unit]") {
  const std::string text(
      "\t a\0b\x1B\x7F"
      "c \n \t \n",
      14);
  CHECK(lines_of(text) == Lines{"a b  c", ""});
  CHECK(lines_of(text, LineUse::scoring) == Lines{text.substr(0, 9), " \t "});
}

TEST_CASE("a byte order mark goes at the start of a text only", "[unit]") {
  CHECK(lines_of("\xEF\xBB\xBF"
                 "a\n\xEF\xBB\xBF"
                 "b\n") == Lines{"a",
                                 "\xEF\xBB\xBF"
                                 "b"});
}

TEST_CASE("bytes that are not UTF-8 are refused with file, line and byte", "[unit]") {
  CHECK_THROWS_WITH(lines_of("good\nlonal\xFF\xFEo\n"),
                    contains("text: line 2, byte 6: is not UTF-8"));
  CHECK_THROWS_WITH(lines_of("\xEF\xBB\xBF"
                             "ab\xFF\n"),
                    contains("line 1, byte 6"));
  CHECK_THROWS_AS(lines_of("\xC3\n", LineUse::scoring), DataError);
}

TEST_CASE("for translation each bad byte becomes U+FFFD and the line says so", "[unit]") {
  const test::TemporaryDirectory folder;
  LineReader reader(test::write(folder / "text",
                                "a\xFF\xFE"
                                "b\ngood\n"),
                    LineUse::translation);
  const auto bad = reader.next();
  CHECK(bad->text ==
        "a\xEF\xBF\xBD\xEF\xBF\xBD"
        "b");
  CHECK(bad->had_bad_bytes);
  const auto good = reader.next();
  CHECK(good->number == 2);
  CHECK_FALSE(good->had_bad_bytes);
  CHECK_FALSE(reader.next().has_value());
  CHECK(clean_line("\tx\xFF ").text == "x\xEF\xBF\xBD");
}

TEST_CASE("UTF-16 is recognised with and without its mark", "[unit]") {
  CHECK_THROWS_WITH(lines_of(std::string_view("\xFF\xFE"
                                              "a\0b\0",
                                              6)),
                    contains("is UTF-16"));
  CHECK_THROWS_WITH(lines_of(std::string_view("\0a\0b\0c\0d\0e\0\n", 12)), contains("is UTF-16"));
  CHECK_THROWS_WITH(lines_of(std::string_view("a\0b\0c\0d\0\n\0e\0", 12)), contains("is UTF-16"));
  CHECK_THROWS_WITH(lines_of(std::string_view("a\0b\0c\0d\0", 8)), contains("is UTF-16"));
  CHECK(lines_of(std::string_view("abc\0def\n", 8)) == Lines{"abc def"});
  // Zeros for blanks, and a line end of one byte.
  CHECK(lines_of(std::string_view("a\0b\0c\0d\0\nx\n", 11)) == Lines{"a b c d", "x"});
  CHECK(lines_of(std::string_view("\0a\0b\0c\0d\nx\n", 11)) == Lines{"a b c d", "x"});
}

TEST_CASE("gzip is read under its name and refused under another", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto packed = gzip("a\nb\n");
  CHECK(read_lines(test::write(folder / "t.gz", packed)) == Lines{"a", "b"});
  CHECK(read_lines(test::write(folder / "two.gz", packed + packed)).size() == 4);
  CHECK_THROWS_WITH(read_lines(test::write(folder / "t.txt", packed)),
                    contains("t.txt: is gzip data"));
  CHECK_THROWS_WITH(read_lines(test::write(folder / "p.gz", "plain\n")),
                    contains("is not gzip data"));
}

TEST_CASE("damaged gzip data is refused", "[unit]") {
  const test::TemporaryDirectory folder;
  auto packed = gzip("some text that is packed\n");
  CHECK_THROWS_WITH(read_lines(test::write(folder / "cut.gz", packed.substr(0, packed.size() - 9))),
                    contains("cut.gz: is damaged gzip data: unexpected end of file; get"));
  packed[packed.size() - 7] ^= 1;
  CHECK_THROWS_AS(read_lines(test::write(folder / "sum.gz", packed)), DataError);
}

TEST_CASE("what follows gzip data is another member, zeros or damage", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto first = gzip("a\n"), empty = gzip("");
  auto damaged = first;
  damaged[0] = 0;
  const std::string zeros(1000, '\0');
  CHECK(read_lines(test::write(folder / "zeros.gz", first + zeros)) == Lines{"a"});
  CHECK(read_lines(test::write(folder / "more.gz", empty + zeros + first + empty + first)) ==
        Lines{"a", "a"});
  CHECK(read_lines(test::write(folder / "none.gz", empty)).empty());
  for (const auto& rest : {damaged, std::string("b\n"), first.substr(0, 5)})
    CHECK_THROWS_WITH(read_lines(test::write(folder / "bad.gz", first + rest)),
                      contains("bad.gz: is damaged gzip data"));
  CHECK_THROWS_WITH(read_lines(test::write(folder / "empty.gz", "")),
                    contains("empty.gz: is empty"));
}

TEST_CASE("other packed formats and UTF-32 are named with the way to unpack them", "[unit]") {
  for (const auto& [begin, said] :
       {std::pair<std::string, std::string>{"\x28\xB5\x2F\xFD....",
                                            "is zstd data; unpack it with: zstd"},
        {"\xFD"
         "7zXZ.",
         "is xz data"},
        {"BZh91AY&SY..", "is bzip2 data"},
        {"BZh11AY&SY..", "is bzip2 data"},
        {"PK\x03\x04...", "is zip data"},
        {"\x04\x22\x4D\x18..", "is lz4 data"},
        {std::string("\xFF\xFE\0\0a\0\0\0", 8), "is UTF-32"},
        {std::string("\0\0\xFE\xFF\0\0\0a", 8), "is UTF-32"}}) {
    CAPTURE(said);
    CHECK_THROWS_WITH(lines_of(begin), contains(said));
  }
}

TEST_CASE("a missing file and a folder are refused by name", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(read_lines(folder / "nowhere"),
                    contains("nowhere: cannot be opened: No such file"));
  CHECK_THROWS_WITH(read_lines(folder.path()), contains("is a folder"));
}

TEST_CASE("a line over the limit is cut for translation and refused for training", "[unit]") {
  const test::TemporaryDirectory folder;
  std::string text = "x";
  for (std::size_t i = 0; i < max_line_bytes; i += 2) text += "\xC3\xA4";
  const auto file = test::write(folder / "long", "first\n" + text + text + "\nlast\n");
  CHECK_THROWS_WITH(read_lines(file), contains("long: line 2 is longer"));
  LineReader reader(file, LineUse::translation);
  reader.next();
  const auto cut = reader.next();
  CHECK(cut->was_cut);
  CHECK_FALSE(cut->had_bad_bytes);
  CHECK(cut->text.size() == max_line_bytes - 1);
  CHECK(reader.next()->text == "last");
}

TEST_CASE("lines across the reader's buffers are whole", "[property]") {
  std::string text;
  Lines expected;
  for (int i = 0; i < 3000; ++i) {
    expected.emplace_back(static_cast<std::size_t>(i * 37 % 201), static_cast<char>('a' + i % 26));
    text += expected.back() + '\n';
  }
  CHECK(lines_of(text) == expected);
}

TEST_CASE("a pipe gives out a line as soon as it is there", "[unit]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const int before = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  auto reader = LineReader::standard_input(LineUse::translation);
  CHECK(reader.would_wait());
  REQUIRE(::write(ends[1], "one\ntwo\nthr", 11) == 11);
  CHECK(reader.next()->text == "one");
  CHECK_FALSE(reader.would_wait());
  CHECK(reader.next()->text == "two");
  CHECK(reader.would_wait());
  ::close(ends[1]);
  CHECK(reader.next()->text == "thr");
  CHECK_FALSE(reader.next().has_value());
  ::dup2(before, STDIN_FILENO);
  ::close(before), ::close(ends[0]);
}

}  // namespace lines_test
