#include "commands/commands.h"
#include "commands/next_commands.h"
#include "commands/text_files.h"
#include "commands/train_arguments.h"

#include "dragoman/config/overrides.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/distributed/group.h"
#include "dragoman/run/run_files.h"
#include "dragoman/train/check.h"
#include "dragoman/train/start.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

namespace dragoman::app {

namespace {

const std::map<std::string, Distributed> distributed_modes = {
    {"auto", Distributed::automatic}, {"off", Distributed::off}, {"mpi", Distributed::mpi}};

struct Train : TrainArguments {
  std::filesystem::path tokenizer, target_tokenizer, data_cache, start_from, init_from;
  std::optional<std::string> dump_config;
  GroupOptions group;
  bool check = false;
  bool json = false;

  /// A configuration, a preset, or that of another run or the existing one; with --set and the
  /// flags.
  RunOptions options() const {
    if (config.empty() && preset.empty() && !start_from.empty())
      return with_overrides(open_run(start_from, ModelKind::translation).options, overrides, flags);
    return run_options("train");
  }

  /// Says which settings are of a tokenizer to learn although one is given.
  void warn_of_given_tokenizer() const {
    if (tokenizer.empty() && start_from.empty() && init_from.empty()) return;
    for (const auto& [key, place] : read_overrides(overrides, flags).places)
      if (key.starts_with("tokenizer."))
        log_warning(concat(place, ": has no effect, as the tokenizer is given"));
  }

  NextCommands next_commands() const {
    NextCommands next{.resume = {"train", "-o", run_dir.string()},
                      .purpose = "translate",
                      .use = {"translate", "-m", run_dir.string()}};
    if (!data_cache.empty())
      next.resume.insert(next.resume.end(), {"--data-cache", data_cache.string()});
    return next;
  }

  void report(const TrainRequest& request) const {
    const auto found = check_training(request);
    std::cout << (json ? found.json().dump(2) + '\n' : found.text(request.options));
    if (found.exit_code != ExitCode::done)
      throw CLI::RuntimeError(static_cast<int>(found.exit_code));
  }

  void run() const {
    warn_of_given_tokenizer();
    const auto options = this->options();
    if (dump_config) return write_output(*dump_config, to_text(options));
    if (options.data.train_source.empty())
      throw OptionsError(
          "data.train_source: no training text; give --train-source and --train-target");
    TrainRequest request{.options = options, .run_dir = run_dir};
    if (!tokenizer.empty()) request.source_tokenizer = tokenizer;
    const auto checkpoint_of = [](const std::filesystem::path& run) {
      return open_run(run, ModelKind::translation).checkpoint;
    };
    if (!start_from.empty()) request.start_from = {.checkpoint = checkpoint_of(start_from)};
    if (!init_from.empty())
      request.start_from = {.checkpoint = checkpoint_of(init_from), .matching = true};
    if (!target_tokenizer.empty()) request.target_tokenizer = target_tokenizer;
    if (check) return report(request);
    if (run_dir.empty()) throw OptionsError("train: no run folder; give -o RUN_DIR");
    const auto joined = join_group(group);
    request.group = joined.get();
    if (!data_cache.empty()) request.data_dir = data_cache;
    const auto end = train(request);
    log_next_commands(next_commands(), end, options.train);
    if (end.signal != 0) throw CLI::RuntimeError(128 + end.signal);
  }
};

void add_start_options(CLI::App& sub, Train& command) {
  sub.add_option(
         "--start-from", command.start_from,
         "Run to fine-tune: a new run starts with its weights, tokenizers and configuration, for "
         "instance on other text or after 'prune'")
      ->excludes("--config")
      ->excludes("--preset");
  sub.add_option("--init-from", command.init_from,
                 "Run from which a new run of another configuration (a deeper model, other layers) "
                 "takes the tokenizers and all weights whose names and shapes match; logs which")
      ->excludes("--start-from");
  auto* tokenizer = sub.add_option("--tokenizer", command.tokenizer,
                                   "SentencePiece model to use instead of learning one")
                        ->excludes("--start-from")
                        ->excludes("--init-from");
  sub.add_option("--target-tokenizer", command.target_tokenizer,
                 "SentencePiece model of the target side, if it has one of its own")
      ->needs(tokenizer);
  sub.add_option("--data-cache", command.data_cache,
                 "Folder for the training text as ids, which runs with the same text and "
                 "tokenizer can share (default: RUN_DIR/data)");
}

void add_process_options(CLI::App& sub, Train& command) {
  auto& group = command.group;
  sub.add_option_function<std::string>(
         "--distributed",
         [&group](const std::string& name) { group.distributed = distributed_modes.at(name); },
         "auto: processes started by mpirun or srun train together, by MPI; off: each trains "
         "alone; mpi: always by MPI")
      ->check(CLI::IsMember({"auto", "off", "mpi"}))
      ->default_str("auto");
  sub.add_option(
         "--distributed-timeout", group.timeout,
         "Seconds without a heartbeat after which another process counts as lost, and all end")
      ->capture_default_str();
}

}  // namespace

void add_train(CLI::App& app) {
  auto command = std::make_shared<Train>();
  auto* sub =
      app.add_subcommand("train", "Train a model from parallel text; resumes a run that stopped");
  add_configuration_options(*sub, *command);
  add_start_options(*sub, *command);
  add_text_options(*sub, *command);
  add_limit_options(*sub, *command);
  add_process_options(*sub, *command);
  auto* check = sub->add_flag(
      "--check", command->check,
      "Only look at the text and estimate parameters, memory, FLOPs and time; trains nothing");
  sub->add_flag("--json", command->json, "With --check: the report as JSON")->needs(check);
  sub->add_option_function<std::string>(
         "--dump-config", [command](const std::string& file) { command->dump_config = file; },
         "Only write the resolved configuration as JSON, to this file (default: standard output); "
         "trains nothing")
      ->expected(0, 1)
      ->excludes("--check");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
