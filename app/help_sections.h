#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dragoman::app {

/// Titles of the sections that options are shown in, in their order.
const std::vector<std::string>& option_sections();

/// The section of an option of `command`.
std::string section_of(const CLI::Option& option, const std::string& command);

/// The commands of the program in groups, as its help lists them.
struct CommandGroup {
  std::string title;
  std::vector<std::string> names;
};
const std::vector<CommandGroup>& command_groups();

}  // namespace dragoman::app
