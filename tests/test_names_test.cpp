#include "support/catch.h"
#include "support/paths.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace test_names_test {

namespace {

std::size_t after_space(const std::string& text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

/// The text of the string literal at `at`, or behind white space, adjacent literals joined.
std::string literals_at(const std::string& text, std::size_t at) {
  std::string name;
  at = after_space(text, at);
  while (at < text.size() && text[at] == '"') {
    for (++at; at < text.size() && text[at] != '"'; ++at) name += text[at];
    at = after_space(text, at + 1);
  }
  return name;
}

/// The names of all test cases below tests/.
std::vector<std::string> case_names() {
  const std::string opening = std::string("TEST_") + "CASE(";
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_folder() / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream in(entry.path());
    const std::string text(std::istreambuf_iterator<char>(in), {});
    for (auto at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1))
      names.push_back(literals_at(text, at + opening.size()));
  }
  return names;
}

}  // namespace

TEST_CASE("each test has a name that ctest takes for a single test", "[unit]") {
  // An open bracket joins all names after it into one, and none of those tests would run.
  const auto names = case_names();
  REQUIRE(names.size() > 600);
  for (const auto& name : names) {
    CAPTURE(name);
    CHECK_FALSE(name.empty());
    CHECK(name.find_first_of("[];\\") == std::string::npos);
    CHECK(name.front() != '-');
  }
}

}  // namespace test_names_test
