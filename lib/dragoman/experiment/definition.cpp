#include "dragoman/experiment/definition.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/sha256.h"

#include <algorithm>
#include <ranges>

namespace dragoman {

namespace {

std::vector<std::string> definition_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (std::error_code circle;
        entry.path().extension() == ".json" && entry.is_regular_file(circle))
      names.push_back(entry.path().stem().string());
  if (error)
    throw DataError(concat(folder.string(), ": cannot be read: ", error.message(),
                           "; give --definitions the folder of the experiments"));
  if (names.empty())
    throw OptionsError(concat(folder.string(),
                              ": no experiments (NAME.json) found; give "
                              "--definitions the folder that contains them"));
  std::sort(names.begin(), names.end());
  return names;
}

/// \param settings of the experiment and the variant
RunOptions training_options(const Experiment& experiment, std::vector<std::string> settings,
                            std::int64_t seed, const std::vector<std::string>& overrides) {
  expect_own_options_free(overrides, "--set");
  settings.insert(settings.end(), overrides.begin(), overrides.end());
  settings.push_back(concat("seed=", seed));
  // Each training has a validation text, which is not named yet: settings for it have an effect.
  settings.insert(settings.end(), {"data.valid_source=text", "data.valid_target=text"});
  auto options = read_run_options(experiment.folder / experiment.config, settings);
  options.data.valid_source = options.data.valid_target = "";
  return options;
}

std::vector<std::string> joined_settings(std::vector<std::string> first,
                                         const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// \param text what determines the text, but for the user's files
std::string run_name(const Experiment& experiment, const RunOptions& options,
                     const std::string& text) {
  auto named = options;
  named.data.train_source = named.data.train_target = {};
  named.data.valid_source = named.data.valid_target = {};
  named.train.device = {};
  named.tokenizer.hard_vocab_limit = {};  // decides no piece
  // Only the differences from the defaults, so that options added later do not change any name.
  const auto changes = nlohmann::json::diff(default_options(), nlohmann::json(named));
  const auto part = experiment.train_pairs > 0 ? concat(' ', experiment.train_pairs) : "";
  return "run-" + sha256_hex(changes.dump() + part + text).substr(0, 12);
}

}  // namespace

const Variant& Experiment::variant(const std::string& wanted) const {
  for (const auto& each : variants)
    if (each.name == wanted) return each;
  throw OptionsError(concat("no variant \"", printable(wanted, 80), "\"; choose one of ",
                            joined(variants | std::views::transform(&Variant::name))));
}

const std::vector<std::int64_t>& Experiment::seeds_of(const Variant& variant) const {
  return variant.seeds.empty() ? seeds : variant.seeds;
}

const TaskOptions& Experiment::task_of(const Variant& variant) const {
  return variant.task.any() ? variant.task : task;
}

bool Experiment::needs_text() const {
  return std::any_of(variants.begin(), variants.end(),
                     [&](const Variant& variant) { return !task_of(variant).any(); });
}

bool Experiment::measures(std::string_view part) const {
  return std::find(measure.begin(), measure.end(), part) != measure.end();
}

std::vector<Experiment> read_experiments(const std::filesystem::path& folder,
                                         const std::vector<std::string>& names) {
  const auto known = definition_names(folder);
  const bool all = std::find(names.begin(), names.end(), "all") != names.end();
  std::vector<Experiment> experiments;
  for (const auto& name : all ? known : names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw OptionsError(concat("experiment: no experiment \"", name, "\" in ", folder.string(),
                                "; choose ", joined(known), " or all"));
    if (std::ranges::find(experiments, name, &Experiment::name) != experiments.end()) continue;
    experiments.push_back(read_experiment(folder / (name + ".json")));
  }
  return experiments;
}

namespace {

/// Whether "KEY=VALUE" names the option, by its own key or in the object of its section.
bool sets(const std::string& setting, const std::string& option) {
  const auto key = setting.substr(0, setting.find('='));
  if (key == option || !option.starts_with(key + '.') || key.size() == setting.size())
    return key == option;
  const auto value = nlohmann::json::parse(setting.substr(key.size() + 1), nullptr, false);
  return value.is_object() && value.contains(option.substr(key.size() + 1));
}

}  // namespace

void expect_own_options_free(const std::vector<std::string>& settings, const std::string& place) {
  for (const auto& setting : settings)
    for (const std::string own : {"seed", "data.train_source", "data.train_target",
                                  "data.valid_source", "data.valid_target"})
      if (sets(setting, own))
        throw OptionsError(concat(place, ": ", own, " is set by the experiment for each training; ",
                                  own == "seed" ? "set /seeds of the definition"
                                                : "give the texts by their own options"));
}

RunOptions trial_options(const Experiment& experiment, const Variant& variant, std::int64_t seed,
                         const std::vector<std::string>& overrides) {
  return training_options(experiment, joined_settings(experiment.set, variant.set), seed,
                          overrides);
}

RunOptions pretraining_options(const Experiment& experiment, const Variant& variant,
                               std::int64_t seed, const std::vector<std::string>& overrides) {
  auto options = training_options(
      experiment, joined_settings(joined_settings(experiment.set, variant.set), variant.pretrain),
      seed, overrides);
  const auto own = trial_options(experiment, variant, seed, overrides);
  const auto model = [](const RunOptions& of) { return nlohmann::json{of.model, of.tokenizer}; };
  if (model(own) != model(options))
    throw OptionsError(concat("pretrain of \"", variant.name,
                              "\" changes the model or the pieces; set these for the variant"));
  if (!own.tokenizer.joint)
    throw OptionsError(concat("pretrain of \"", variant.name,
                              "\" needs pieces of both languages; set tokenizer.joint=true"));
  return options;
}

std::string trial_name(const Experiment& experiment, const Variant& variant,
                       const RunOptions& options, const std::string& before) {
  const auto& task = experiment.task_of(variant);
  auto text = task.any() ? " task " + task_identity(task) : "";
  if (!before.empty()) text += " after " + before;
  return run_name(experiment, options, text);
}

std::string pretraining_name(const Experiment& experiment, const RunOptions& options) {
  return run_name(experiment, options, " other targets");
}

}  // namespace dragoman
