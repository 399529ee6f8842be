#include "commands/text_train_arguments.h"

#include "commands/option_flags.h"
#include "commands/stored_options.h"
#include "commands/text_files.h"
#include "commands/train_arguments.h"

#include "dragoman/config/overrides.h"
#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/distributed/launch.h"

#include <utility>

namespace dragoman::app {

TextTrainRequest TextTrainArguments::request(const TextTrainCommand& command,
                                             const std::vector<OptionFlag>& texts) const {
  expect_single_process(command.name);
  auto all = flags;
  all.insert(all.end(), texts.begin(), texts.end());
  auto absent = command.absent;  // there are no translations
  absent.insert(absent.end(), {"train.validate_translations", "train.validate_sentences",
                               "train.bleu_tokenizer", "tokenizer.joint"});
  const auto settings = effective_settings(overrides, absent, command.name);
  TextTrainRequest request{.options = options(command, settings, all), .run_dir = run_dir};
  if (request.options.data.train_source.empty())
    throw OptionsError(command.name + ": no training text; give --text");
  if (!tokenizer.empty()) warn_of_tokenizer_settings(overrides, {});
  if (!tokenizer.empty()) request.tokenizer = tokenizer;
  return request;
}

RunOptions TextTrainArguments::options(const TextTrainCommand& command,
                                       const std::vector<std::string>& settings,
                                       const std::vector<OptionFlag>& all) const {
  if (!preset.empty()) return preset_run_options(preset, settings, all);
  if (!config.empty()) return configured_options(config, run_dir, settings, all);
  if (auto stored = stored_run_options(run_dir, settings, all)) return *std::move(stored);
  throw OptionsError(command.name +
                     ": no configuration or preset given; use -c CONFIG.json or "
                     "--preset tiny|small|base|big");
}

std::vector<std::string> TextTrainArguments::resume(const std::string& command) const {
  return {command, "train", "-o", run_dir.string()};
}

void add_text_train_arguments(CLI::App& command, TextTrainArguments& arguments) {
  auto* size = command.add_option_group("configuration");
  size->add_option("-c,--config", arguments.config, "Configuration file (JSON); see configs/");
  size->add_option("--preset", arguments.preset, "Built-in model size")
      ->check(CLI::IsMember(preset_names()));
  size->require_option(0, 1);
  command
      .add_option("-o,--output", arguments.run_dir,
                  "Run folder; created if missing; a run that it contains is resumed")
      ->required()
      ->check(a_folder());
  add_set_option(command, arguments.overrides, "train.max_steps=1000");
  command.add_option("--tokenizer", arguments.tokenizer,
                     "SentencePiece model to use instead of learning one");
  add_limit_options(command, arguments.flags);
}

}  // namespace dragoman::app
