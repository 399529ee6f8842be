#include "commands/commands.h"
#include "commands/text_files.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/run/average.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::app {

namespace {

struct Average {
  std::vector<std::filesystem::path> run_dirs;
  std::filesystem::path out_dir;
  static constexpr std::int64_t default_last = 5;
  std::optional<std::int64_t> last;
  std::vector<std::string> names;

  std::vector<Checkpoint> chosen() const {
    if (run_dirs.size() > 1) return of_runs();
    if (names.empty()) return last_checkpoints(run_dirs.front(), last.value_or(default_last));
    std::vector<Checkpoint> found;
    for (const auto& name : names) found.push_back(CheckpointStore(run_dirs.front()).choose(name));
    return found;
  }

  std::vector<Checkpoint> of_runs() const {
    if (last)
      throw OptionsError(
          "average --last: is for a single run, while each of several contributes one checkpoint "
          "(its best or that of --checkpoints); leave --last out");
    if (names.size() > 1)
      throw OptionsError(
          "average --checkpoints: each of several runs contributes one checkpoint; "
          "give one name");
    return checkpoints_of_runs(run_dirs, names.empty() ? "" : names.front());
  }

  void run() const {
    expect_empty_folder(out_dir);
    const auto checkpoints = chosen();
    for (const auto& checkpoint : checkpoints)
      log_info(concat("averaging ", checkpoint.path.string()));
    std::cout << average_checkpoints(checkpoints, out_dir).path.string() << '\n';
  }
};

}  // namespace

void add_average(CLI::App& app) {
  auto command = std::make_shared<Average>();
  auto* sub = app.add_subcommand(
      "average",
      "Average the weights of checkpoints, or of several runs, into a new run, and print the path "
      "of its checkpoint");
  sub->add_option("-m,--model", command->run_dirs,
                  "Run folder; several -m: one checkpoint of each, the run's best")
      ->required()
      ->allow_extra_args(false);
  sub->add_option("-o,--output", command->out_dir, "Run folder to make; must be new or empty")
      ->required()
      ->check(a_folder());
  auto* last = sub->add_option("--last", command->last,
                               "Number of newest trained checkpoints, or as many as there are")
                   ->check(CLI::PositiveNumber)
                   ->default_str(std::to_string(Average::default_last));
  sub->add_option("--checkpoints", command->names,
                  "Names in place of --last: step-00001200, latest, best-bleu")
      ->excludes(last);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
