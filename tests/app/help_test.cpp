#include "support/catch.h"
#include "support/paths.h"
#include "support/process.h"

#include <sstream>
#include <string>
#include <vector>

namespace help_test {

using Words = std::vector<std::string>;

namespace {

struct Entry {
  std::string name;         ///< "--last INT [5]", or a subcommand's name
  std::string description;  ///< empty where there is none
};

struct Help {
  std::vector<Entry> options;
  std::vector<Entry> subcommands;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Adds a line of a section: two spaces before a name, the description from column 30 on, in the
/// next line where the name is long.
void add_line(std::vector<Entry>& entries, const std::string& line) {
  constexpr std::size_t column = 30;
  const bool is_new = line.size() > 2 && line[2] != ' ';
  if (!is_new) {
    if (!entries.empty()) entries.back().description += trimmed(line);
    return;
  }
  const bool has_both = line.size() > column && line[column - 1] == ' ';
  entries.push_back({trimmed(line.substr(0, has_both ? column : line.size())),
                     has_both ? trimmed(line.substr(column)) : ""});
}

Help help_of(const Words& path) {
  Words command = {test::program()};
  command.insert(command.end(), path.begin(), path.end());
  command.push_back("--help");
  const auto result = test::run(command);
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  Help help;
  std::vector<Entry>* section = nullptr;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    if (trimmed(line).empty()) continue;
    if (line[0] != ' ') {
      section = line == "Subcommands:" ? &help.subcommands
                : line.back() == ':' && line.rfind("Usage", 0) != 0 ? &help.options
                                                                    : nullptr;
    } else if (section != nullptr) {
      add_line(*section, line);
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

TEST_CASE("the help describes each option and subcommand, and the default of each number", "[unit]") {
  int options = 0;
  walk({}, [&](const Words& path, const Help& help) {
    for (const auto& entry : help.subcommands) {
      CAPTURE(joined(path), entry.name);
      CHECK(entry.description.size() >= 10);
    }
    for (const auto& entry : help.options) {
      CAPTURE(joined(path), entry.name, entry.description);
      CHECK(entry.description.size() >= 10);
      ++options;
      const bool is_number = entry.name.find(" INT") != std::string::npos ||
                             entry.name.find(" UINT") != std::string::npos ||
                             entry.name.find(" FLOAT") != std::string::npos;
      if (!is_number || entry.name.find("REQUIRED") != std::string::npos) continue;
      const bool has_default = (entry.name + entry.description).find('[') != std::string::npos ||
                               (entry.name + entry.description).find('=') != std::string::npos;
      const bool says_default = entry.description.find("default") != std::string::npos;
      CHECK((has_default || says_default));
    }
  });
  CHECK(options > 20);
}

}  // namespace help_test
