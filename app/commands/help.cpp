#include "commands/commands.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "option_facts.h"
#include "suggestion.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace dragoman::app {

namespace {

const CLI::App& command_named(const CLI::App& app, const std::vector<std::string>& names) {
  const CLI::App* command = &app;
  for (const auto& name : names) {
    const auto inside = subcommands_of(*command);
    const auto found = std::find_if(inside.begin(), inside.end(), [&name](const CLI::App* sub) {
      return sub->get_name() == name;
    });
    if (found == inside.end()) {
      const auto fault = no_such_command(*command, name);
      throw OptionsError(concat(fault, fault.back() == '?' ? " See '" : "; see '",
                                full_name(*command), " --help'"));
    }
    command = *found;
  }
  return *command;
}

}  // namespace

void add_help(CLI::App& app) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto* sub = app.add_subcommand("help", "Print the help of a command: dragoman help train");
  sub->add_option("command", *names, "A command, and one inside it: tokenize encode");
  // A command alone, as the help of the whole program would be that of this command.
  sub->callback([&app, names] {
    const auto& command = command_named(app, *names);
    std::cout << app.get_formatter()->make_help(&command, "", CLI::AppFormatMode::Normal);
  });
}

}  // namespace dragoman::app
