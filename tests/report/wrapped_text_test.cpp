#include "dragoman/report/wrapped_text.h"

#include "support/catch.h"

namespace wrapped_text_test {

using dragoman::wrapped;

TEST_CASE("a paragraph is wrapped at its width", "[unit]") {
  CHECK(wrapped("one two three", 9, 2) == "  one two\n  three\n");
  CHECK(wrapped("one two three", 80, 0) == "one two three\n");
  CHECK(wrapped("", 80, 0) == "\n");
}

TEST_CASE("a word that is longer than the line has one of its own", "[unit]") {
  CHECK(wrapped("a muchlonger b", 6, 0) == "a\nmuchlonger\nb\n");
}

TEST_CASE("text continues after a name, or below one that is too long", "[unit]") {
  CHECK("name" + wrapped("one two", 80, 8, 4) == "name    one two\n");
  CHECK("longname" + wrapped("one two", 80, 8, 8) == "longname\n        one two\n");
}

}  // namespace wrapped_text_test
