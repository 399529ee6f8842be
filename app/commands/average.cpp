#include "commands/commands.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/run/average.h"

#include <filesystem>
#include <iostream>
#include <memory>

namespace dragoman::app {

namespace {

struct Average {
  std::filesystem::path run_dir;
  std::filesystem::path out_dir;
  std::int64_t last = 5;
  std::vector<std::string> names;

  std::vector<Checkpoint> chosen() const {
    if (names.empty()) return last_checkpoints(run_dir, last);
    std::vector<Checkpoint> found;
    for (const auto& name : names) found.push_back(CheckpointStore(run_dir).choose(name));
    return found;
  }

  void run() const {
    const auto checkpoints = chosen();
    for (const auto& checkpoint : checkpoints)
      log_info(concat("averages ", checkpoint.path.string()));
    std::cout << average_checkpoints(checkpoints, out_dir).path.string() << '\n';
  }
};

}  // namespace

void add_average(CLI::App& app) {
  auto command = std::make_shared<Average>();
  auto* sub = app.add_subcommand(
      "average",
      "Average the weights of checkpoints into a new run; prints the checkpoint it made");
  sub->add_option("-m,--model", command->run_dir, "Run folder, as 'dragoman train' wrote it")
      ->required();
  sub->add_option("-o,--output", command->out_dir, "Run folder to make; must be new or empty")
      ->required();
  auto* last = sub->add_option("--last", command->last,
                               "Number of newest trained checkpoints, or as many as there are")
                   ->check(CLI::PositiveNumber)
                   ->capture_default_str();
  sub->add_option("--checkpoints", command->names,
                  "Names in place of --last: step-00001200, latest, best-bleu")
      ->excludes(last);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
