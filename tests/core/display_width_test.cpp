#include "dragoman/core/display_width.h"

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

TEST_CASE("text is cut to columns, not to bytes or characters", "[unit]") {
  CHECK(cut_to_width("short", 5) == "short");
  CHECK(cut_to_width("longer", 5) == "long…");
  CHECK(cut_to_width("日本語", 5) == "日本…");
  CHECK(cut_to_width("日本語", 4) == "日…");
  CHECK(cut_to_width("e\u0301tude", 3) == "e\u0301t…");
  CHECK(cut_to_width("any", 0).empty());
}

TEST_CASE("of a text that is cut at its front the end is left", "[unit]") {
  CHECK(cut_front_to_width("short", 5) == "short");
  CHECK(cut_front_to_width("longer", 5) == "…nger");
  CHECK(cut_front_to_width("日本語", 5) == "…本語");
  CHECK(cut_front_to_width("日本語", 4) == "…語");
  CHECK(cut_front_to_width("ae\u0301t", 2) == "…t");
  CHECK(cut_front_to_width("any", 0).empty());
}

TEST_CASE("a line has as many fields as fit, and never a part of one", "[unit]") {
  const std::vector<std::string> fields{"ep 1", "320/6000 5 %", "loss 4.21"};
  CHECK(fields_in_width(fields, 100) == "ep 1  320/6000 5 %  loss 4.21");
  CHECK(fields_in_width(fields, 29) == "ep 1  320/6000 5 %  loss 4.21");
  CHECK(fields_in_width(fields, 28) == "ep 1  320/6000 5 %");
  CHECK(fields_in_width(fields, 3) == "ep…");
  CHECK(fields_in_width({}, 10).empty());
}

}  // namespace display_width_test
