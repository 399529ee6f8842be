#include "dragoman/text/text_file.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

namespace text_file_test {

using namespace dragoman;

TEST_CASE("the lines of a plain file are counted as they are read", "[unit]") {
  const test::TemporaryDirectory folder;
  for (const std::string content : {"", "\n", "a", "a\n", "a\nb", "\n\nb\n"}) {
    CAPTURE(content);
    const auto file = test::write(folder / "text", content);
    CHECK(is_text_file(file));
    CHECK(count_lines(file) == std::ssize(read_lines(file)));
  }
  const std::string many(200000, '\n');
  CHECK(count_lines(test::write(folder / "many", many)) == 200000);
}

TEST_CASE("what is no plain file has no number of lines", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK_FALSE(count_lines(test::write(folder / "text.gz", "a\n")).has_value());
  CHECK_FALSE(count_lines((folder / "none").string()).has_value());
  CHECK_FALSE(count_lines(folder.path().string()).has_value());
  CHECK_FALSE(count_lines("/dev/null").has_value());
  CHECK_FALSE(is_text_file("/dev/null"));
  CHECK(is_text_file((folder / "text.gz").string()));
}

TEST_CASE("a text that is not there is named", "[unit]") {
  CHECK_THROWS_WITH(open_text("none.txt", LineUse::training),
                    test::contains("none.txt: cannot be opened"));
}

}  // namespace text_file_test
