#include "completion.h"

#include "commands/commands.h"

#include <iostream>
#include <memory>

namespace dragoman::app {

void add_completion(CLI::App& app) {
  auto* sub = app.add_subcommand(
      "completion", "Print a completion script for a shell: source <(dragoman completion bash)");
  auto shell = std::make_shared<std::string>();
  sub->add_option("shell", *shell, "The shell it is for; bash is the only one so far")
      ->required()
      ->check(CLI::IsMember({"bash"}));
  sub->callback([&app, shell] { std::cout << bash_completion(app); });
}

}  // namespace dragoman::app
