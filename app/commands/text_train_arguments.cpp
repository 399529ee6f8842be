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

#include <algorithm>
#include <utility>

namespace dragoman::app {

TextTrainRequest TextTrainArguments::request(const TextTrainCommand& command,
                                             const std::vector<OptionFlag>& texts) const {
  expect_single_process(command.name);
  auto all = flags;
  all.insert(all.end(), texts.begin(), texts.end());
  TextTrainRequest request{.options = options(command, effective_overrides(command), all),
                           .run_dir = run_dir};
  if (request.options.data.train_source.empty())
    throw OptionsError(command.name + ": no training text; give --text");
  if (!tokenizer.empty()) warn_of_tokenizer_settings(overrides, {});
  if (!tokenizer.empty()) request.tokenizer = tokenizer;
  return request;
}

std::vector<std::string> TextTrainArguments::effective_overrides(
    const TextTrainCommand& command) const {
  const auto is_ineffective = [&](const std::string& key) {
    return key == "train.validate_translations" || key == "train.validate_sentences" ||
           key == "train.bleu_tokenizer" ||
           std::ranges::any_of(command.absent,
                               [&key](const auto& begin) { return key.starts_with(begin); });
  };
  std::vector<std::string> effective;
  for (const auto& setting : overrides) {
    bool has_effect = false;
    for (const auto& [key, place] : read_overrides({setting}, {}).places)
      if (is_ineffective(key))
        log_warning(concat(place, ": has no effect on the models of '", command.name, "'"));
      else
        has_effect = true;
    if (has_effect) effective.push_back(setting);
  }
  return effective;
}

RunOptions TextTrainArguments::options(const TextTrainCommand& command,
                                       const std::vector<std::string>& settings,
                                       const std::vector<OptionFlag>& all) const {
  if (!preset.empty()) return preset_run_options(preset, settings, all);
  if (!config.empty()) return read_run_options(config, settings, all);
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
