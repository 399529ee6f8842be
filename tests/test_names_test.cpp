#include "support/catch.h"
#include "support/paths.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace test_names_test {

namespace {

namespace fs = std::filesystem;

const fs::path tests = test::source_folder() / "tests";

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

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The names of all test cases below tests/.
std::vector<std::string> case_names() {
  const std::string opening = std::string("TEST_") + "CASE(";
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(tests)) {
    if (entry.path().extension() != ".cpp") continue;
    const auto text = text_of(entry.path());
    for (auto at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1))
      names.push_back(literals_at(text, at + opening.size()));
  }
  return names;
}

/// The words between the brackets of each call of a command in a CMake file, comments left out.
std::vector<std::vector<std::string>> calls_of(const std::string& command, const fs::path& file) {
  std::istringstream lines(text_of(file));
  std::string text;
  for (std::string line; std::getline(lines, line);) text += line.substr(0, line.find('#')) + '\n';
  std::vector<std::vector<std::string>> calls;
  for (auto at = text.find(command + '('); at != std::string::npos;
       at = text.find(command + '(', at + 1)) {
    const auto begin = at + command.size() + 1;
    std::istringstream words(text.substr(begin, text.find(')', begin) - begin));
    calls.emplace_back(std::istream_iterator<std::string>(words),
                       std::istream_iterator<std::string>());
  }
  return calls;
}

/// Folders with files of tests, and the names of these files without _test.cpp.
std::map<fs::path, std::set<std::string>> test_files() {
  const std::string ending = "_test.cpp";
  std::map<fs::path, std::set<std::string>> files;
  for (const auto& entry : fs::recursive_directory_iterator(tests)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(ending))
      files[entry.path().parent_path()].insert(name.substr(0, name.size() - ending.size()));
  }
  return files;
}

}  // namespace

TEST_CASE("each file of tests is built into a program, which has no other of its name", "[unit]") {
  // By the name of a file ctest tells a program which cases to run.
  std::set<std::string> known;  // "torch recompute"
  for (const auto& [folder, names] : test_files()) {
    const auto file = folder / "CMakeLists.txt";
    std::set<std::string> listed;
    for (const auto& call : calls_of("dragoman_tests", file))
      for (std::size_t i = 1; i < call.size(); ++i) {
        CAPTURE(file, call[0], call[i]);
        CHECK(known.insert(call[0] + ' ' + call[i]).second);
        listed.insert(call[i]);
      }
    const auto text = text_of(file);
    for (const auto& name : names) {
      CAPTURE(file, name);
      const bool is_source = text.find("/" + name + "_test.cpp") != std::string::npos;
      CHECK((listed.contains(name) || is_source));
    }
  }
  CHECK(known.size() > 100);
}

TEST_CASE("each folder with tests is built", "[unit]") {
  std::set<std::string> built;
  for (const auto& call : calls_of("foreach", tests / "CMakeLists.txt"))
    built.insert(call.begin(), call.end());
  for (const auto& [folder, names] : test_files()) {
    CAPTURE(folder);
    CHECK((folder == tests || built.contains(folder.filename().string())));
  }
}

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
