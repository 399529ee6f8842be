#include "dragoman/core/shell_quoted.h"

#include "support/catch.h"

#include <cstdio>
#include <string>

namespace shell_quoted_test {

using dragoman::shell_quoted;

namespace {

/// What /bin/sh makes of an argument.
std::string read_back(const std::string& argument) {
  auto* shell = ::popen(("printf %s " + argument).c_str(), "r");
  REQUIRE(shell != nullptr);
  std::string text;
  for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) text += static_cast<char>(c);
  CHECK(::pclose(shell) == 0);
  return text;
}

}  // namespace

TEST_CASE("a shell reads back what was quoted for it", "[unit]") {
  CHECK(shell_quoted("runs/en-de_1,2@3%+=:.x") == "runs/en-de_1,2@3%+=:.x");
  for (const std::string argument :
       {"", "two words", "it's", "$HOME `id` \\ \"*\"", "a;b", "#", "~"}) {
    CAPTURE(argument);
    CHECK(read_back(shell_quoted(argument)) == argument);
  }
}

}  // namespace shell_quoted_test
