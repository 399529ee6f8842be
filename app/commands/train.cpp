#include "commands/commands.h"
#include "commands/next_commands.h"
#include "commands/option_flags.h"
#include "commands/text_files.h"

#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"
#include "dragoman/core/error.h"
#include "dragoman/distributed/group.h"
#include "dragoman/run/loaded_run.h"
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

struct Train {
  std::string config, preset;
  std::filesystem::path run_dir, tokenizer, target_tokenizer, data_cache, start_from, init_from;
  std::vector<std::string> overrides;
  std::vector<OptionFlag> flags;  // of options that have one of their own
  std::optional<std::string> dump_config;
  GroupOptions group;
  bool check = false;
  bool json = false;

  /// A configuration, a preset, or that of the existing run; with --set and the flags.
  RunOptions options() const {
    if (!config.empty()) return read_run_options(config, overrides, flags);
    if (!preset.empty()) return preset_run_options(preset, overrides, flags);
    if (!start_from.empty()) return with_overrides(load_run(start_from).options, overrides, flags);
    if (run_dir.empty() || !std::filesystem::exists(run_dir / "checkpoints"))
      throw OptionsError(
          "train: neither a configuration nor a preset; give -c CONFIG.json or --preset "
          "tiny|small|base|big");
    return read_stored_options(run_dir / "config.json", overrides, flags);
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
    const auto options = this->options();
    if (dump_config) return write_output(*dump_config, to_text(options));
    if (options.data.train_source.empty())
      throw OptionsError(
          "data.train_source: no training text; give --train-source and --train-target");
    TrainRequest request{.options = options, .run_dir = run_dir};
    if (!tokenizer.empty()) request.source_tokenizer = tokenizer;
    if (!start_from.empty()) request.start_from = {.checkpoint = load_run(start_from).checkpoint};
    if (!init_from.empty())
      request.start_from = {.checkpoint = load_run(init_from).checkpoint, .matching = true};
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
  sub.add_option("-c,--config", command.config, "Configuration file (JSON); see configs/");
  sub.add_option("--preset", command.preset, "Model size without a file")
      ->check(CLI::IsMember(preset_names()));
  sub.add_option("-o,--output", command.run_dir,
                 "Run folder; made if missing, resumed if it holds a run");
  add_set_option(sub, command.overrides, "train.patience=5");
  sub.add_option(
         "--start-from", command.start_from,
         "Run whose weights, tokenizers and configuration a new run starts with: to train it "
         "further, on other text, or after 'prune'")
      ->excludes("--config")
      ->excludes("--preset");
  sub.add_option("--init-from", command.init_from,
                 "Run whose tokenizers, and those weights whose names and shapes fit, a new run of "
                 "another configuration starts with: a deeper model, other layers; logs what was "
                 "taken")
      ->excludes("--start-from");
  sub.add_option("--tokenizer", command.tokenizer,
                 "SentencePiece model to use instead of learning one")
      ->excludes("--start-from")
      ->excludes("--init-from");
  sub.add_option("--target-tokenizer", command.target_tokenizer,
                 "SentencePiece model of the target side, if it has one of its own");
}

void add_text_options(CLI::App& sub, Train& command) {
  auto& flags = command.flags;
  add_flag_of<std::vector<std::string>>(sub, flags, "--train-source", "data.train_source",
                                        "Training text, source side: files, plain or .gz");
  add_flag_of<std::vector<std::string>>(sub, flags, "--train-target", "data.train_target",
                                        "Training text, target side, line for line");
  add_flag_of<std::string>(sub, flags, "--valid-source", "data.valid_source",
                           "Validation text, source side");
  add_flag_of<std::string>(sub, flags, "--valid-target", "data.valid_target",
                           "Validation text, target side");
  sub.add_option("--data-cache", command.data_cache,
                 "Folder for the training text as ids, which runs with the same text and "
                 "tokenizer can share (default: RUN_DIR/data)");
}

void add_training_options(CLI::App& sub, Train& command) {
  auto& flags = command.flags;
  add_flag_of<std::int64_t>(sub, flags, "--max-steps", "train.max_steps",
                            "Stop after this many updates");
  sub.add_option_function<std::string>(
      "--max-time",
      [&flags](const std::string& text) {
        flags.push_back({"--max-time", "train.max_seconds", seconds_of("--max-time", text)});
      },
      "Stop after this time: 3600 (seconds), 90m, 2h, 1h30m; sets train.max_seconds");
  add_flag_of<double>(sub, flags, "--learning-rate", "train.learning_rate",
                      "Factor of schedule noam, highest rate of the others");
  add_flag_of<std::int64_t>(sub, flags, "--batch-tokens", "train.batch_tokens",
                            "Tokens of a batch, padding included");
  add_flag_of<std::int64_t>(sub, flags, "--seed", "seed",
                            "Seed of the initial weights, the order of the data and dropout");
  add_flag_of<std::string>(sub, flags, "--device", "train.device",
                           "auto, cpu, cuda or cuda:N (default: the configuration's, auto)");
  add_flag_of<std::int64_t>(
      sub, flags, "--workers", "train.workers",
      "Workers that share an update on a CPU; 0 = chosen by cores, batch and model");
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
  add_start_options(*sub, *command);
  add_text_options(*sub, *command);
  add_training_options(*sub, *command);
  add_process_options(*sub, *command);
  sub->add_flag(
      "--check", command->check,
      "Only look at the text and estimate parameters, memory, FLOPs and time; trains nothing");
  sub->add_flag("--json", command->json, "With --check: the report as JSON");
  sub->add_option_function<std::string>(
         "--dump-config", [command](const std::string& file) { command->dump_config = file; },
         "Only write the resolved configuration as JSON, to this file (default: standard output); "
         "trains nothing")
      ->expected(0, 1)
      ->excludes("--check");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
