#include "dragoman/core/utf8.h"

#include "support/catch.h"

#include <string>

namespace utf8_test {

namespace utf8 = dragoman::utf8;

TEST_CASE("every character is decoded from what it is encoded as", "[property]") {
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 61) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    utf8::append(text, c);
    const auto [decoded, length] = utf8::decode(text, 0);
    if (decoded == c && length == text.size()) continue;
    CAPTURE(static_cast<std::uint32_t>(c));
    FAIL("another character");
  }
}

TEST_CASE("overlong forms, surrogates and what is cut off are no characters", "[unit]") {
  for (const std::string bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                "\xFF", "\x80", "\xE6\x97", "\xF0\x9F\x98"}) {
    CAPTURE(bad.size());
    CHECK(utf8::decode(bad, 0).code_point == utf8::invalid);
    CHECK(utf8::find_invalid("ok" + bad) == 2);
  }
  CHECK_FALSE(utf8::find_invalid("日本 é").has_value());
  CHECK(utf8::replace_invalid("a\xFFz") == "a\xEF\xBF\xBDz");
}

TEST_CASE("the front of a text splits no character", "[unit]") {
  const std::string text = "a日é";  // 1, 3 and 2 bytes
  CHECK(utf8::front(text, 0).empty());
  CHECK(utf8::front(text, 1) == "a");
  CHECK(utf8::front(text, 3) == "a");
  CHECK(utf8::front(text, 4) == "a日");
  CHECK(utf8::front(text, 5) == "a日");
  CHECK(utf8::front(text, 6) == text);
  CHECK(utf8::front(text, 100) == text);
  CHECK(utf8::count(text) == 3);
}

}  // namespace utf8_test
