#include "completion.h"

#include "commands/commands.h"

#include <iostream>
#include <memory>

namespace dragoman::app {

void add_completion(CLI::App& app) {
  auto* sub = app.add_subcommand(
      "completion",
      "Print a completion script for a shell; in bash: source <(dragoman completion bash)");
  auto shell = std::make_shared<std::string>();
  sub->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(completion_shells()));
  sub->callback([&app, shell] { std::cout << completion_script(app, *shell); });
}

}  // namespace dragoman::app
