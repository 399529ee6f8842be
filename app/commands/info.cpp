#include "commands/commands.h"
#include "commands/info_options.h"
#include "commands/model_options.h"
#include "commands/option_flags.h"
#include "commands/parameter_table.h"

#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/utf8.h"
#include "dragoman/model/flops.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/run/stored_state.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/train/training_state.h"
#include "dragoman/translate/synthetic_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>

namespace dragoman::app {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t typical_length = 15;  // tokens of both sides, for the costs that are printed

void write_fact(const std::string& name, const std::string& value) {
  std::cout << std::left << std::setw(28) << name << value << '\n';
}

/// What of an option is not its default; null if nothing is.
nlohmann::json changed(const nlohmann::json& value, const nlohmann::json& usual) {
  if (value == usual) return nullptr;
  if (!value.is_object()) return value;
  auto found = nlohmann::json::object();
  for (const auto& [key, part] : value.items())
    if (part != usual.value(key, nlohmann::json())) found[key] = part;
  return found;
}

/// The options of the model that say how large it is, or are not the default, as the configuration
/// names them.
void write_options(const ModelOptions& options) {
  constexpr std::array always = {"d_ff",           "d_model", "decoder_layers", "dropout",
                                 "encoder_layers", "norm",    "num_heads",      "share_embeddings"};
  const nlohmann::json keys(options);  // `items` looks into it and does not keep it
  const nlohmann::json defaults(ModelOptions{});
  for (const auto& [key, value] : keys.items()) {
    const bool is_shown = std::ranges::find(always, key) != always.end();
    const auto found = is_shown ? value : changed(value, defaults.at(key));
    if (!found.is_null())
      write_fact("model." + key, found.is_string() ? found.get<std::string>() : found.dump());
  }
  write_fact("other options of the model", "are the defaults ('dragoman info --defaults')");
}

/// A translation model's options, then what follows from them.
void write_model(const ModelOptions& options, const VocabularySizes& vocabulary) {
  write_options(options);
  const auto decoder = options.with_heads_of(StackSide::decoder);
  write_fact("d_k, d_v of a head", concat(options.key_width(), ", ", options.value_width()));
  if (decoder.num_heads != options.num_heads)
    write_fact("d_k, d_v of a decoder head",
               concat(decoder.key_width(), ", ", decoder.value_width()));
  write_fact("vocabularies", concat(vocabulary.source, " source, ", vocabulary.target, " target"));
  const double flops = forward_flops(options, vocabulary.target, typical_length, typical_length);
  write_fact("forward pass",
             concat(flops / 1e6, " MFLOP for a pair of ", typical_length, " tokens each"));
  write_fact("training", concat(3.0 * flops / static_cast<double>(typical_length) / 1e6,
                                " MFLOP a target token, forward and backward"));
  std::cout << '\n';
  write_parameter_table(options, vocabulary);
}

void write_training(const TrainingState& state) {
  write_fact("epoch", std::to_string(state.position.epoch + 1));
  write_fact("training time",
             concat(duration_text(state.seconds), ", ", counted(state.restarts, "restart")));
  write_fact("seen",
             concat(state.sentences, " sentences, ", state.target_tokens, " target tokens"));
  if (state.skipped > 0) write_fact("skipped updates", std::to_string(state.skipped));
  for (const auto& [metric, best] : state.best)
    write_fact("best " + metric, concat(best.value, " at step ", best.step));
  for (const auto& [name, value] : state.identity.items())
    write_fact(name, value.is_string() ? value.get<std::string>() : value.dump());
}

/// The origin of a model that was not trained here: "averaged", "converted".
void write_origin(const nlohmann::json& state) {
  for (const auto& [key, value] : state.items()) {
    if (key == "format_version" || key == "step") continue;
    if (!value.is_array())
      write_fact(key, value.is_string() ? value.get<std::string>() : value.dump());
    for (const auto& part : value.is_array() ? value : nlohmann::json::array())
      write_fact(key, part.is_string() ? part.get<std::string>() : part.dump());
  }
}

/// \param state of a training
TrainingState training_of(const RunFiles& run, const StoredState& state) {
  auto training = training_state_from(state.content, state.place);
  // The validation of a checkpoint comes after it was written.
  if (const auto file = run.checkpoint / validation_file; fs::exists(file))
    note_later_validation(
        training,
        nlohmann::json::parse(read_regular_file(file), nullptr, /*allow_exceptions=*/false),
        run.options.train.early_stopping_metric);
  return training;
}

void write_state(const RunFiles& run) {
  const auto state = find_stored_state(run.checkpoint);
  if (!state) return;
  if (!state->is_training()) return write_origin(state->content);
  write_training(training_of(run, *state));
}

/// The state for programs: with the last validation, and without the file's exact bits of numbers.
nlohmann::json state_facts(const RunFiles& run) {
  const auto state = find_stored_state(run.checkpoint);
  if (!state) return nullptr;
  auto facts = state->content;
  if (!state->is_training()) return facts;
  const auto training = training_of(run, *state);
  facts["seconds"] = training.seconds;
  facts["cpu_seconds"] = training.cpu_seconds;
  facts["flops"] = training.flops;
  facts.erase("window");  // of the log
  facts["best"] = nlohmann::json::object();
  for (const auto& [metric, best] : training.best)
    facts["best"][metric] = {{"value", best.value}, {"step", best.step}};
  return facts;
}

/// Nothing for a model of one pair.
void write_languages(const char* name, const std::vector<std::string>& languages) {
  if (!languages.empty()) write_fact(name, joined(languages));
}

std::vector<std::string> source_languages_of(const RunFiles& run) {
  auto languages = source_languages(run.vocabulary);
  const auto tags = back_translation_tags(run.options.data);
  std::erase_if(languages, [&](const auto& language) { return tags.contains(language); });
  return languages;
}

void describe_languages(const RunFiles& run) {
  const auto& vocabulary = run.vocabulary;
  if (vocabulary.source.languages().empty()) {
    write_languages("translates into", target_languages(vocabulary));
    write_languages("translates from", source_languages_of(run));
    const auto tags = back_translation_tags(run.options.data);
    write_languages("tag of back-translations", {tags.begin(), tags.end()});
    return;
  }
  write_languages("translates between", target_languages(vocabulary));
  const auto write_default = [](const char* name, const Tokenizer& side) {
    if (!side.prefix().empty()) write_fact(name, language_code(side.piece(side.prefix().front())));
  };
  write_default("from, by default", vocabulary.source);
  write_default("into, by default", vocabulary.target);
}

/// What is printed of a run, for programs.
nlohmann::json facts_of(const RunFiles& run) {
  const VocabularySizes vocabulary{run.vocabulary.source.vocab_size(),
                                   run.vocabulary.target.vocab_size()};
  const auto parameters = run.kind == ModelKind::translation
                              ? parameter_count(run.options.model, vocabulary).total.total()
                              : weight_count(*run.content);
  return {
      {"checkpoint", utf8::replace_invalid(run.checkpoint.string())},
      {"step", run.step},
      {"kind", name_of(run.kind)},
      {"parameters", parameters},
      {"source_vocabulary", vocabulary.source},
      {"target_vocabulary", vocabulary.target},
      {"source_languages", source_languages_of(run)},
      {"target_languages", target_languages(run.vocabulary)},
      {"model", run.options.model},
      {"state", state_facts(run)},
  };
}

struct Info {
  std::string preset;
  fs::path config;
  fs::path model;
  std::string checkpoint;
  std::vector<std::string> overrides;
  std::optional<std::string> option_filter;
  bool defaults = false;
  bool json = false;

  void run() const {
    if (json && !option_filter && model.empty())
      throw OptionsError("--json: belongs to --model or --options; --defaults is JSON by itself");
    if (option_filter) {
      write_option_list(*option_filter, json);
    } else if (defaults) {
      std::cout << to_text(RunOptions{});
    } else if (!model.empty()) {
      describe_run();
    } else {
      const auto options = config.empty() ? preset_run_options(preset, overrides)
                                          : read_run_options(config, overrides);
      const auto size = options.tokenizer.vocab_size;
      write_model(options.model, {size, size});
    }
  }

  void describe_run() const {
    const auto found = open_run(model, std::nullopt, checkpoint);
    if (json) {
      std::cout << facts_of(found).dump(2) << '\n';
      return;
    }
    write_fact("checkpoint", found.checkpoint.string());
    write_fact("step", std::to_string(found.step));
    write_state(found);
    describe_languages(found);
    std::cout << '\n';
    if (found.kind == ModelKind::translation) {
      write_model(found.options.model,
                  {found.vocabulary.source.vocab_size(), found.vocabulary.target.vocab_size()});
      return;
    }
    write_fact("kind", name_of(found.kind));
    write_options(found.options.model);
    write_fact("vocabulary", std::to_string(found.vocabulary.source.vocab_size()));
    std::cout << '\n';
    write_weight_table(SafetensorsFile(found.weights));
  }
};

}  // namespace

void add_info(CLI::App& app) {
  auto command = std::make_shared<Info>();
  auto* sub = app.add_subcommand(
      "info", "Print a model's sizes, parameters and cost, and the facts of its training");
  auto* what = sub->add_option_group("what is described");
  what->add_option("--preset", command->preset, "One of the built-in configurations")
      ->check(CLI::IsMember(preset_names()));
  what->add_option("-c,--config", command->config, "Configuration file");
  auto* model = add_model_option(*what, command->model);
  auto* list =
      what->add_option_function<std::string>(
              "--options", [command](const std::string& word) { command->option_filter = word; },
              "List the options of the configuration, or those with this in their name, "
              "such as train.max: type, range, default and meaning")
          ->expected(0, 1);
  auto* defaults = what->add_flag("--defaults", command->defaults,
                                  "Print all options with their defaults, as JSON");
  what->require_option(1);
  add_checkpoint_option(*sub, command->checkpoint)->needs(model);
  add_set_option(*sub, command->overrides, "tokenizer.vocab_size=8000")
      ->excludes(model)
      ->excludes(list)
      ->excludes(defaults);
  sub->add_flag("--json", command->json,
                "Print the facts of a run, or the list of --options, as JSON");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
