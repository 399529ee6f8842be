#include "commands/train_arguments.h"

#include "commands/option_flags.h"
#include "commands/stored_options.h"
#include "commands/text_files.h"

#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/corpus/auto_options.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/train/train_run.h"
#include "dragoman/translate/synthetic_files.h"

#include <string_view>
#include <utility>

namespace dragoman::app {

namespace {

constexpr const char* auto_preset = "auto";

std::vector<std::string> names_with_auto() {
  auto names = preset_names();
  names.emplace_back(auto_preset);
  return names;
}

/// The folder above a configuration, or its own, relative to which it names `file`; empty = none.
std::filesystem::path base_of(const std::filesystem::path& config, const std::string& file) {
  std::error_code ignored;
  const auto folder = std::filesystem::absolute(config, ignored).parent_path();
  for (const auto& base : {folder.parent_path(), folder})
    if (std::filesystem::exists(base / file, ignored)) return base;
  return {};
}

/// \param config the configuration that names the texts; empty: a run does
/// \param places of the options that the command sets
/// \param made_here the folder of texts that the command translates first
/// \throws DataError if a text that a run names relative to the working directory is not there, or
///     one of a configuration is elsewhere
void expect_texts_here(const DataOptions& data, const std::filesystem::path& config,
                       const std::map<std::string, std::string>& places,
                       const std::filesystem::path& made_here) {
  const auto expect = [&](const std::string& file, const char* key, const char* flag) {
    std::error_code error;
    const bool is_here =
        file.empty() || file.front() == '/' || std::filesystem::exists(file, error);
    const bool will_be_made =
        is_synthetic_text(file) && std::filesystem::path(file).parent_path() == made_here;
    if (is_here || places.contains(key) || will_be_made) return;
    if (!config.empty()) {
      if (const auto base = base_of(config, file); !base.empty())
        throw DataError(concat(key, ": ", file, ": there is no such file here, and ",
                               config.string(), " names it relative to the folder in which ",
                               "dragoman is started; start it in ", base.string(), ", or give ",
                               flag));
      return;
    }
    throw DataError(concat(key, ": ", file, ": there is no such file here, and the run names it ",
                           "relative to the folder in which it was started; start it there, or ",
                           "give ", flag));
  };
  for (const auto& file : data.train_source) expect(file, "data.train_source", "--train-source");
  for (const auto& file : data.train_target) expect(file, "data.train_target", "--train-target");
  expect(data.valid_source, "data.valid_source", "--valid-source");
  expect(data.valid_target, "data.valid_target", "--valid-target");
}

}  // namespace

RunOptions TrainArguments::run_options(const std::string& command) const {
  const bool has_vocabulary = !tokenizer.empty() || !start_from.empty() || !init_from.empty();
  if (has_vocabulary) warn_of_tokenizer_settings(overrides, flags);
  auto own = *this;
  own.overrides = effective_settings(overrides, {"model.pooling"}, command);
  return own.chosen_options(command, has_vocabulary);
}

/// \param has_vocabulary whether no tokenizer is learned
RunOptions TrainArguments::chosen_options(const std::string& command, bool has_vocabulary) const {
  if (!start_from.empty()) return options_of_start();
  if (!config.empty()) return configured_options(config, run_dir, overrides, flags);
  if (preset == auto_preset) {
    if (!init_from.empty()) open_run(init_from, ModelKind::translation);  // before the text is read
    auto chosen = auto_run_options(overrides, flags,
                                   {.more_text = command == "back-translate",
                                    .has_vocabulary = has_vocabulary,
                                    .is_check = check});
    log_info(chosen.reason);
    return chosen.options;
  }
  if (!preset.empty()) return preset_run_options(preset, overrides, flags);
  return options_of_run(command);
}

/// Those of the run that is in the folder.
RunOptions TrainArguments::options_of_run(const std::string& command) const {
  if (auto stored = stored_run_options(run_dir, overrides, flags)) return *std::move(stored);
  constexpr auto no_run = "; use -c CONFIG.json or --preset auto|tiny|small|base|big";
  throw OptionsError(concat(
      command, ": no configuration or preset given",
      run_dir.empty() ? "" : concat(", and ", run_dir.string(), " contains no run to resume"),
      run_dir.empty() ? no_run
      : has_synthetic_text(run_dir)
          ? "; 'dragoman distill' or 'dragoman back-translate' has begun there: repeat that "
            "whole command"
      : std::filesystem::exists(run_dir / data_folder)
          ? "; training there had not begun: repeat the whole command"
          : no_run));
}

TrainRequest TrainArguments::request(const RunOptions& options) const {
  if (preset.empty())
    expect_texts_here(options.data, config, read_overrides(overrides, flags).places,
                      run_dir / synthetic_folder);
  TrainRequest request{.options = options, .run_dir = run_dir};
  if (!tokenizer.empty()) request.source_tokenizer = tokenizer;
  if (!target_tokenizer.empty()) request.target_tokenizer = target_tokenizer;
  const auto checkpoint_of = [](const std::filesystem::path& run) {
    return open_run(run, ModelKind::translation).checkpoint;
  };
  if (!start_from.empty()) request.start_from = {.checkpoint = checkpoint_of(start_from)};
  if (!init_from.empty())
    request.start_from = {.checkpoint = checkpoint_of(init_from), .matching = true};
  if (!data_cache.empty()) request.data_dir = data_cache;
  return request;
}

void TrainArguments::write_configuration(const RunOptions& options,
                                         const std::vector<std::string>& texts) const {
  const auto& data = options.data;
  const std::vector valid = {data.valid_source, data.valid_target};
  for (const auto* files : {&texts, &data.train_source, &data.train_target, &valid})
    for (const auto& file : *files) expect_other_file(*dump_config, file, "--dump-config");
  for (const auto& file : {config, tokenizer.string(), target_tokenizer.string()})
    expect_other_file(*dump_config, file, "--dump-config");
  write_output(*dump_config, to_text(options));
}

NextCommands TrainArguments::next_commands(const DataOptions& data) const {
  NextCommands next{.resume = {"train", "-o", run_dir.string()},
                    .purpose = "translate",
                    .use = {"translate", "-m", run_dir.string()}};
  if (!data_cache.empty())
    next.resume.insert(next.resume.end(), {"--data-cache", data_cache.string()});
  for (const auto& [option, tags] :
       {std::pair{"--to", data.target_tag}, {"--from", data.source_tag}}) {
    const auto tag = std::ranges::find_if_not(tags, &std::string::empty);
    const bool has_all = std::ranges::find(tags, std::string()) == tags.end();
    if (tag != tags.end() && (has_all || option == std::string_view("--to")))
      next.use.insert(next.use.end(), {option, *tag});
  }
  return next;
}

void add_configuration_options(CLI::App& sub, TrainArguments& arguments) {
  auto* config =
      sub.add_option("-c,--config", arguments.config, "Configuration file (JSON); see configs/");
  sub.add_option(
         "--preset", arguments.preset,
         "Built-in model size; auto chooses size, vocabulary and dropout to suit the size of "
         "the training text and, below 400,000 pairs or 4,000,000 target words, layers, batches "
         "and schedule, and "
         "logs why")
      ->check(CLI::IsMember(names_with_auto()))
      ->excludes(config);
  sub.add_option("-o,--output", arguments.run_dir,
                 "Run folder; created if missing; a run that it contains is resumed")
      ->check(a_folder());
  add_set_option(sub, arguments.overrides, "train.patience=5");
  sub.add_option_function<std::string>(
         "--dump-config", [&arguments](const std::string& file) { arguments.dump_config = file; },
         "Write the resolved configuration as JSON to this file (default: standard output) and "
         "exit")
      ->expected(0, 1);
}

void add_start_options(CLI::App& sub, TrainArguments& arguments) {
  sub.add_option(
         "--start-from", arguments.start_from,
         "Run to fine-tune: a new run starts with its weights, tokenizers and configuration, for "
         "instance on other text or after 'prune'")
      ->excludes("--config")
      ->excludes("--preset");
  sub.add_option("--init-from", arguments.init_from,
                 "Start a new run of another configuration (a deeper model, other layers) with the "
                 "tokenizers and matching weights (names and shapes) of this run; the log lists "
                 "them")
      ->excludes("--start-from");
  auto* tokenizer = sub.add_option("--tokenizer", arguments.tokenizer,
                                   "SentencePiece model to use instead of learning one")
                        ->excludes("--start-from")
                        ->excludes("--init-from");
  sub.add_option("--target-tokenizer", arguments.target_tokenizer,
                 "SentencePiece model of the target side, if it has one of its own")
      ->needs(tokenizer);
  sub.add_option("--data-cache", arguments.data_cache,
                 "Folder for the encoded training text; runs with the same text and tokenizer can "
                 "share it (default: RUN_DIR/data)");
}

void add_text_options(CLI::App& sub, TrainArguments& arguments) {
  auto& flags = arguments.flags;
  add_flag_of<std::vector<std::string>>(sub, flags, "--train-source", "data.train_source",
                                        "Training text, source side: files, plain or .gz");
  add_flag_of<std::vector<std::string>>(sub, flags, "--train-target", "data.train_target",
                                        "Training text, target side, line for line");
  add_flag_of<std::string>(sub, flags, "--valid-source", "data.valid_source",
                           "Validation text, source side");
  add_flag_of<std::string>(sub, flags, "--valid-target", "data.valid_target",
                           "Validation text, target side");
}

void add_limit_options(CLI::App& sub, std::vector<OptionFlag>& flags) {
  add_flag_of<std::int64_t>(sub, flags, "--max-steps", "train.max_steps",
                            "Stop after this many updates");
  sub.add_option_function<std::string>(
      "--max-time",
      [&flags](const std::string& text) {
        flags.push_back({"--max-time", "train.max_seconds", seconds_of("--max-time", text)});
      },
      "Stop after this time, that before a restart included: 3600 (seconds), 90m, 2h, 1h30m; 0 = "
      "no limit; sets train.max_seconds");
  add_flag_of<double>(sub, flags, "--learning-rate", "train.learning_rate",
                      "Learning rate: factor of schedule noam, peak rate of the others");
  add_flag_of<std::int64_t>(sub, flags, "--batch-tokens", "train.batch_tokens",
                            "Tokens per batch, padding included");
  add_flag_of<std::int64_t>(sub, flags, "--seed", "seed",
                            "Seed of the initial weights, the order of the data and dropout");
  add_flag_of<std::string>(sub, flags, "--device", "train.device",
                           "auto, cpu, cuda or cuda:N (default: the configuration's, auto)");
  add_flag_of<std::int64_t>(
      sub, flags, "--workers", "train.workers",
      "Workers that share an update on a CPU; 0 = chosen by cores, batch and model");
}

}  // namespace dragoman::app
