#include "dragoman/report/display_width.h"

#include "support/catch.h"

namespace display_width_test {

using namespace dragoman;

TEST_CASE("wide characters take two columns and marks none", "[unit]") {
  CHECK(display_width("") == 0);
  CHECK(display_width("▁Haus") == 5);
  CHECK(display_width("日本語") == 6);
  CHECK(display_width("한국") == 4);
  CHECK(display_width("ｱ") == 1);           // half-width katakana
  CHECK(display_width("e\u0301") == 1);     // e and a mark on it
  CHECK(display_width("a\u200b") == 1);     // zero-width space
  CHECK(display_width("\U0001F600") == 2);  // an emoji
}

TEST_CASE("padding counts columns and never cuts", "[unit]") {
  CHECK(pad_right("日", 4) == "日  ");
  CHECK(pad_left("e\u0301", 3) == "  e\u0301");
  CHECK(pad_right("long", 2) == "long");
}

}  // namespace display_width_test
