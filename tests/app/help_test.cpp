#include "support/catch.h"
#include "support/paths.h"
#include "support/process.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace help_test {

using Words = std::vector<std::string>;

namespace {

struct Entry {
  std::string section;      ///< "Required", "Search"
  std::string name;         ///< "    --last N", or a subcommand's name
  std::string description;  ///< empty where there is none
};

struct Help {
  std::string text;
  std::vector<Entry> options;
  std::vector<Entry> subcommands;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool is_command_section(const std::string& title) {
  return title == "Commands" || title == "Everyday" || title == "Look into a model" ||
         title == "Research" || title == "Shell";
}

/// Adds a line of a section: two spaces before a name, the description from column 29 on, in the
/// next line where the name is long.
void add_line(std::vector<Entry>& entries, const std::string& section, const std::string& line) {
  constexpr std::size_t column = 28;
  const bool is_description = line.find_first_not_of(' ') == column;
  if (is_description) {
    REQUIRE(!entries.empty());
    entries.back().description += ' ' + trimmed(line);
    return;
  }
  const bool has_both = line.size() > column && line.substr(column - 2, 2) == "  ";
  entries.push_back({section, trimmed(line.substr(0, has_both ? column : line.size())),
                     has_both ? line.substr(column) : ""});
}

Help help_of(const Words& path) {
  Words command = {test::program()};
  command.insert(command.end(), path.begin(), path.end());
  command.push_back("--help");
  const auto result = test::run(command);
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  Help help{.text = result.out, .options = {}, .subcommands = {}};
  std::string title;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    if (trimmed(line).empty()) {
      title.clear();
    } else if (line[0] != ' ') {
      title = line.back() == ':' ? line.substr(0, line.size() - 1) : "";
    } else if (!title.empty()) {
      add_line(is_command_section(title) ? help.subcommands : help.options, title, line);
    }
  }
  return help;
}

/// Calls `visit` with the path of each subcommand, and of those inside.
template <typename Visit>
void walk(const Words& path, Visit visit) {
  const Help help = help_of(path);
  visit(path, help);
  for (const auto& sub : help.subcommands) {
    Words below = path;
    below.push_back(sub.name);
    walk(below, visit);
  }
}

std::string joined(const Words& words) {
  std::string text = "dragoman";
  for (const auto& word : words) text += ' ' + word;
  return text;
}

}  // namespace

TEST_CASE("the help describes each option and subcommand, and the default of each number",
          "[unit]") {
  int options = 0;
  walk({}, [&](const Words& path, const Help& help) {
    CAPTURE(joined(path));
    for (const auto& entry : help.subcommands) {
      CAPTURE(entry.name);
      CHECK(entry.description.size() >= 10);
    }
    for (const auto& entry : help.options) {
      CAPTURE(entry.name, entry.description);
      CHECK(entry.description.size() >= 10);
      ++options;
      const bool is_number = entry.name.ends_with(" N") || entry.name.ends_with(" X");
      if (is_number && entry.section != "Required" && entry.section != "Exactly one of")
        CHECK(entry.description.find("default: ") != std::string::npos);
    }
  });
  CHECK(options > 300);
}

TEST_CASE("the help fits 80 columns and shows nothing of the parser's own", "[unit]") {
  walk({}, [&](const Words& path, const Help& help) {
    CAPTURE(joined(path));
    std::istringstream lines(help.text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
    for (const std::string inner : {"ENUM", "TEXT:", "INT", "FLOAT", "POSITIVE", "[Option Group",
                                    "->", "REQUIRED", "Excludes:", "Needs:"}) {
      CAPTURE(inner);
      CHECK(help.text.find(inner) == std::string::npos);
    }
  });
}

TEST_CASE("what a command must be given comes first in its help, and in its usage", "[unit]") {
  const auto help = help_of({"average"});
  REQUIRE(help.options.size() > 2);
  CHECK(help.options[0].section == "Required");
  CHECK(help.options[0].name == "-m, --model DIR");
  CHECK(help.options[1].name == "-o, --output PATH");
  CHECK(help.text.find("Usage: dragoman average -m DIR -o PATH [OPTIONS]") != std::string::npos);
  const auto info = help_of({"info"});
  CHECK(info.options[0].section == "Exactly one of");
}

TEST_CASE("an option that several commands have is the same in all", "[unit]") {
  std::map<std::string, std::pair<std::string, std::string>> seen;  // long name: value, command
  // A number, a list or a file, as the command is about one sentence, one layer or a whole text.
  const std::set<std::string> differ = {"--target", "--output", "--report",
                                        "--heads",  "--input",  "--model"};
  walk({}, [&](const Words& path, const Help& help) {
    for (const auto& entry : help.options) {
      const auto begin = entry.name.find("--");
      if (begin == std::string::npos) continue;
      const auto end = entry.name.find_first_of(" ,", begin);
      const auto name = entry.name.substr(begin, end - begin);
      if (differ.count(name) > 0) continue;
      const auto value = end == std::string::npos ? "" : entry.name.substr(end + 1);
      const auto short_name = entry.name.substr(0, begin);
      const auto [place, is_new] = seen.emplace(name, std::pair(short_name + value, joined(path)));
      CAPTURE(name, joined(path), place->second.second);
      const auto dots = [](std::string text) { return text.substr(0, text.find("...")); };
      CHECK(dots(place->second.first) == dots(short_name + value));
    }
  });
}

}  // namespace help_test
