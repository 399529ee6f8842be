#include "commands/commands.h"
#include "commands/next_commands.h"

#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/distributed/group.h"
#include "dragoman/train/estimate.h"
#include "dragoman/train/start.h"
#include "dragoman/translate/run.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

namespace dragoman::app {

namespace {

const std::map<std::string, Distributed> distributed_modes = {
    {"auto", Distributed::automatic}, {"off", Distributed::off}, {"mpi", Distributed::mpi}};

struct Train {
  std::string config, preset;
  std::filesystem::path run_dir, tokenizer, target_tokenizer, data_cache, start_from, init_from;
  std::vector<std::string> overrides, train_source, train_target;
  std::string valid_source, valid_target, device;
  GroupOptions group;
  std::int64_t workers = -1;
  bool check = false;
  bool json = false;

  /// A configuration, a preset, or that of the run which is there already; then the flags.
  RunOptions options() const {
    RunOptions options = base();
    if (!train_source.empty()) options.data.train_source = train_source;
    if (!train_target.empty()) options.data.train_target = train_target;
    if (!valid_source.empty()) options.data.valid_source = valid_source;
    if (!valid_target.empty()) options.data.valid_target = valid_target;
    if (!device.empty()) options.train.device = device;
    if (workers >= 0) options.train.workers = workers;
    options.validate();
    if (options.data.train_source.empty())
      throw OptionsError("data.train_source: no training text; give --train-source and --train-target");
    return options;
  }

  RunOptions base() const {
    if (!config.empty()) return read_run_options(config, overrides);
    if (!preset.empty()) return preset_run_options(preset, overrides);
    if (!start_from.empty()) return with_overrides(load_run(start_from).options, overrides);
    if (run_dir.empty() || !std::filesystem::exists(run_dir / "checkpoints"))
      throw OptionsError("train: neither a configuration nor a preset; give -c CONFIG.json or --preset "
                         "tiny|small|base|big");
    const auto file = run_dir / "config.json";
    return parse_run_options(read_file(file), file.string(), overrides);
  }

  NextCommands next_commands() const {
    NextCommands next{.resume = {"train", "-o", run_dir.string()},
                      .purpose = "translate",
                      .use = {"translate", "-m", run_dir.string()}};
    if (!data_cache.empty())
      next.resume.insert(next.resume.end(), {"--data-cache", data_cache.string()});
    return next;
  }

  void run() const {
    const auto options = this->options();
    if (check) {
      const auto report = check_training(options);
      std::cout << (json ? report.json.dump(2) : report.text) << '\n';
      if (!report.usable) throw CLI::RuntimeError(static_cast<int>(ExitCode::data));
      return;
    }
    if (run_dir.empty()) throw OptionsError("train: no run folder; give -o RUN_DIR");
    TrainRequest request{.options = options, .run_dir = run_dir};
    if (!tokenizer.empty()) request.source_tokenizer = tokenizer;
    if (!start_from.empty()) request.start_from = {.checkpoint = load_run(start_from).checkpoint};
    if (!init_from.empty()) request.start_from = {.checkpoint = load_run(init_from).checkpoint, .matching = true};
    if (!target_tokenizer.empty()) request.target_tokenizer = target_tokenizer;
    const auto joined = join_group(group);
    request.group = joined.get();
    if (!data_cache.empty()) request.data_dir = data_cache;
    const auto end = train(request);
    log_next_commands(next_commands(), end, options.train);
    if (end.signal != 0) throw CLI::RuntimeError(128 + end.signal);
  }
};

}  // namespace

void add_train(CLI::App& app) {
  auto command = std::make_shared<Train>();
  auto* sub = app.add_subcommand("train", "Train a model from parallel text; goes on where a run stopped");
  sub->add_option("-c,--config", command->config, "Configuration file (JSON); see configs/");
  sub->add_option("--preset", command->preset, "Model size without a file")
      ->check(CLI::IsMember(preset_names()));
  sub->add_option("-o,--output", command->run_dir, "Run folder; made if missing, gone on with if it holds a run");
  sub->add_option("--set", command->overrides, "Override an option: train.max_steps=1000 (repeatable)");
  sub->add_option("--start-from", command->start_from,
                  "Run folder whose weights, tokenizers and configuration a new run begins with: to train "
                  "it on, on other text, or after 'prune'")
      ->excludes("--config")
      ->excludes("--preset");
  sub->add_option("--init-from", command->init_from,
                  "Run folder whose tokenizers, and those weights whose names and shapes fit, a new run of "
                  "another configuration begins with: a deeper model, other layers; says what was taken")
      ->excludes("--start-from");
  sub->add_option("--train-source", command->train_source, "Training text, source side: files, plain or .gz");
  sub->add_option("--train-target", command->train_target, "Training text, target side, line for line");
  sub->add_option("--valid-source", command->valid_source, "Validation text, source side");
  sub->add_option("--valid-target", command->valid_target, "Validation text, target side");
  sub->add_option("--tokenizer", command->tokenizer, "SentencePiece model to use instead of learning one")
      ->excludes("--start-from")
      ->excludes("--init-from");
  sub->add_option("--target-tokenizer", command->target_tokenizer,
                  "SentencePiece model of the target side, if it has one of its own");
  sub->add_option("--data-cache", command->data_cache,
                  "Folder for the training text as ids, which runs of one text and tokenizer may share "
                  "(default: RUN_DIR/data)");
  sub->add_option("--device", command->device, "auto, cpu, cuda or cuda:N (default: the configuration's, auto)");
  sub->add_option("--workers", command->workers,
                  "Threads that share an update on a CPU (default: the configuration's; 0 = one per core)");
  sub->add_option_function<std::string>(
         "--distributed",
         [command](const std::string& name) { command->group.distributed = distributed_modes.at(name); },
         "auto: processes that mpirun or srun started train together, by MPI; off: each for itself; "
         "mpi: by MPI in any case")
      ->check(CLI::IsMember({"auto", "off", "mpi"}))
      ->default_str("auto");
  sub->add_option("--distributed-timeout", command->group.timeout,
                  "Seconds without a sign of life after which another process counts as lost, and all end")
      ->capture_default_str();
  sub->add_flag("--check", command->check,
                "Only look at the text and estimate parameters, memory, FLOPs and time; trains nothing");
  sub->add_flag("--json", command->json, "With --check: the report as JSON");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
