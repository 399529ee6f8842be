#include "dragoman/text/model_check.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "text/text_support.h"

namespace model_check_test {

using dragoman::check_sentencepiece_model;
using dragoman::FormatError;
using test::contains;

namespace {

/// A protocol-buffer field of bytes.
std::string field(char number, const std::string& content) {
  REQUIRE(content.size() < 128 * 128);
  const auto size = content.size();
  std::string head(1, static_cast<char>(number << 3 | 2));
  if (size >= 128) head += static_cast<char>(size % 128 | 128);
  head += static_cast<char>(size >= 128 ? size / 128 : size);
  return head + content;
}

std::string piece(const std::string& text, char kind = 1, const std::string& score = {0, 0, 0, 0}) {
  return field(1, field(1, text) + '\x15' + score + '\x18' + kind);
}

std::string unknown_piece() { return piece("<unk>", 2); }

/// A table whose trie has `units` units of zero but for the first.
std::string charsmap(std::size_t units, std::string root, const std::string& texts) {
  const auto size = units * 4;
  std::string table = {static_cast<char>(size & 255), static_cast<char>(size >> 8), 0, 0};
  table += root + std::string(size - 4, '\xFF');
  return field(3, field(2, table + texts));
}

}  // namespace

TEST_CASE("what training writes passes the check", "[unit]") {
  CHECK_NOTHROW(check_sentencepiece_model(test::small_tokenizer().bytes(), "model"));
}

TEST_CASE("pieces that cannot be text are refused by number", "[unit]") {
  const auto refused = [](const std::string& bad) {
    CHECK_THROWS_WITH(check_sentencepiece_model(unknown_piece() + bad, "m"),
                      contains("m: piece 1 "));
  };
  CHECK_NOTHROW(check_sentencepiece_model(unknown_piece() + piece("a"), "m"));
  refused(piece(""));
  refused(piece("a\xFF"));
  refused(piece(std::string("a\0b", 3)));
  refused(piece("a\nb"));
  refused(piece("a\rb"));
  refused(piece(std::string(1025, 'a')));
  refused(piece("a", 9));
  refused(piece("<0xG1>", 6));
  refused(piece("a", 1, {0, 0, '\xC0', '\x7F'}));
  refused(piece("a", 1, {0, 0, '\x80', '\xFF'}));
  refused(piece("<unk>"));
  CHECK_NOTHROW(check_sentencepiece_model(unknown_piece() + piece(std::string(1024, 'a')), "m"));
}

TEST_CASE("a model has one unknown piece", "[unit]") {
  CHECK_THROWS_WITH(check_sentencepiece_model(piece("a"), "m"), contains("has 0 unknown pieces"));
  CHECK_THROWS_WITH(check_sentencepiece_model(unknown_piece() + piece("b", 2), "m"),
                    contains("has 2 unknown pieces"));
  CHECK_THROWS_WITH(check_sentencepiece_model("", "m"), contains("holds no pieces"));
}

TEST_CASE("a normalization table that leads outside itself is refused", "[unit]") {
  const std::string nothing(1, '\0');
  const std::string root(4, '\0');
  CHECK_NOTHROW(check_sentencepiece_model(unknown_piece() + charsmap(256, root, nothing), "m"));
  const std::string far = {0, 0, 0, '\x10'};
  CHECK_THROWS_AS(check_sentencepiece_model(unknown_piece() + charsmap(256, far, nothing), "m"),
                  FormatError);
  CHECK_THROWS_AS(check_sentencepiece_model(unknown_piece() + charsmap(255, root, nothing), "m"),
                  FormatError);
  CHECK_THROWS_AS(check_sentencepiece_model(unknown_piece() + charsmap(256, root, "a"), "m"),
                  FormatError);
  CHECK_THROWS_AS(check_sentencepiece_model(unknown_piece() + charsmap(256, root, ""), "m"),
                  FormatError);
  CHECK_THROWS_AS(check_sentencepiece_model(unknown_piece() + field(3, field(2, "abc")), "m"),
                  FormatError);
}

TEST_CASE("a model cut anywhere or with a changed byte is refused or loads and encodes",
          "[property]") {
  const auto whole = test::small_tokenizer().bytes();
  int refused = 0, loaded = 0;
  const auto use = [&](const std::string& bytes) {
    try {
      const auto tokenizer = dragoman::Tokenizer::from_bytes(bytes, "damaged");
      tokenizer.decode(tokenizer.encode("koru \xEF\xAC\x81 vedo \xC3\x84"));
      ++loaded;
    } catch (const dragoman::InternalError&) {
      throw;
    } catch (const dragoman::Error& error) {
      CHECK_THAT(error.what(), test::contains("damaged"));
      ++refused;
    }
  };
  const auto step = whole.size() / 150 + 1;
  for (std::size_t at = 0; at < whole.size(); at += step) {
    use(whole.substr(0, at));
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
    use(changed);
  }
  CHECK(refused > 100);
  CHECK(loaded > 10);
}

}  // namespace model_check_test
