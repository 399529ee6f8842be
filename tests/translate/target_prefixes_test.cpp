#include "dragoman/translate/target_prefixes.h"

#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

namespace target_prefixes_test {

using dragoman::TargetPrefixes;

namespace {

/// The source and the prefix of a line.
std::pair<std::string, std::string> split_line(std::string line) {
  auto prefixes = TargetPrefixes::inside_source();
  auto prefix = prefixes.take(line);
  return {line, prefix};
}

}  // namespace

TEST_CASE("a line holds its prefix behind three bars", "[unit]") {
  using Pair = std::pair<std::string, std::string>;
  CHECK(split_line("a cat ||| eine") == Pair{"a cat", "eine"});
  CHECK(split_line("a cat") == Pair{"a cat", ""});
  CHECK(split_line("a cat |||") == Pair{"a cat", ""});
  CHECK(split_line("||| eine") == Pair{"", "eine"});
  CHECK(split_line("|||") == Pair{"", ""});
  CHECK(split_line("") == Pair{"", ""});
  CHECK(split_line("a|||b ||| c ||| d") == Pair{"a|||b", "c ||| d"});
}

TEST_CASE("a text of prefixes is read line for line and must be as long as the source", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto file = test::write(folder / "prefixes", "eine\n\nder Hund\n");
  std::string line = "x ||| y";
  auto prefixes = TargetPrefixes::of_file(file);
  CHECK(prefixes.any());
  CHECK(prefixes.take(line) == "eine");
  CHECK(prefixes.take(line).empty());
  CHECK_THROWS_WITH(prefixes.expect_end(),
                    test::contains("prefixes: has more lines than the source, which ends after 2"));
  CHECK_THROWS_WITH(prefixes.take(line),
                    test::contains("prefixes: ends after 2 lines, the source does not"));
  CHECK(line == "x ||| y");
}

TEST_CASE("without prefixes a line is left as it is", "[unit]") {
  TargetPrefixes none;
  std::string line = "a ||| b";
  CHECK_FALSE(none.any());
  CHECK(none.take(line).empty());
  CHECK(line == "a ||| b");
  CHECK_NOTHROW(none.expect_end());
}

}  // namespace target_prefixes_test
