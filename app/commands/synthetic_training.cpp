#include "commands/added_corpus.h"
#include "commands/commands.h"
#include "commands/device_option.h"
#include "commands/language_options.h"
#include "commands/model_options.h"
#include "commands/option_flags.h"
#include "commands/search_arguments.h"
#include "commands/text_files.h"
#include "commands/train_arguments.h"

#include "dragoman/config/device_name.h"
#include "dragoman/config/overrides.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/thread.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/distributed/launch.h"
#include "dragoman/run/manifest.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/text/lines.h"
#include "dragoman/train/train.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/synthetic_text.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::app {

namespace {

constexpr const char* search_option = "--search";

/// Warns of files without text. \throws DataError if none has any
void expect_text(const std::vector<std::string>& files) {
  std::vector<std::string> blank;
  for (const auto& file : files) {
    LineReader reader(file, LineUse::training);
    auto line = reader.next();
    while (line && line->text.empty()) line = reader.next();
    if (!line) blank.push_back(file);
  }
  if (blank.size() == files.size())
    throw DataError(joined(blank) + ": no line has text; give another file");
  for (const auto& file : blank) log_warning(file + ": no line has text");
}

/// What `distill` and `back-translate` have in common: a text is translated by trained models, and
/// then a model is trained on it.
struct SyntheticTraining : TrainArguments {
  std::string command;  ///< its name
  std::vector<std::filesystem::path> models;
  std::string checkpoint, device = "cpu";
  std::vector<std::string> search;       ///< search_option
  std::int64_t workers = 0;              ///< that translate
  std::vector<std::string> monolingual;  ///< texts without a translation
  Languages languages;
  std::optional<std::string> target_tag;  ///< of the synthetic text, for the new model
  std::vector<RunFiles> runs;             ///< those of `models`, by `options`

  /// Puts the translations of these texts into the run folder. \return how many there are
  std::int64_t translate(const std::vector<std::string>& texts) {
    const auto& run = runs.front();
    for (const auto& text : texts)
      if (const auto line = LineReader(text, LineUse::training).next())
        TargetReminder(run.vocabulary.source, run.options.data, text)
            .tell(line->number, line->text);
    const auto options = with_one_best(run.options, search, search_option);
    const LineTranslator translator(
        inference_models(runs, options.search, device, "--translate-device"), run.vocabulary,
        options.search,
        {.workers = workers,
         .max_source_length = options.data.max_length,
         .seed = options.seed,
         .batch_tokens_given = set_option(search, "search.batch_tokens")});
    log_info(concat(command, ": ", translator.description()));
    const auto made = make_synthetic_text(
        {.folder = synthetic_dir(), .texts = texts, .origin = origin_of(options)}, translator);
    runs.clear();  // their files are closed, too
    return made.kept;
  }

  nlohmann::json origin_of(const RunOptions& options) const {
    auto checksums = nlohmann::json::array();
    for (const auto& run : runs)
      checksums.push_back(sha256_hex(read_file(run.checkpoint / manifest_file)));
    nlohmann::json search_settings = options.search;
    search_settings.erase("batch_tokens");  // translations do not depend on it
    return {{"models", checksums},
            {"search", search_settings},
            {"max_length", options.data.max_length},
            {"seed", options.seed},
            {"from", languages.source},
            {"to", languages.target}};
  }

  /// What the new model will be trained on, before it exists.
  SyntheticText text() const { return SyntheticText(synthetic_dir()); }

  std::filesystem::path synthetic_dir() const { return run_dir / synthetic_folder; }

  /// Opens the translating models, so that nothing is read for one that is not there.
  RunOptions options() {
    if (run_dir.empty()) throw OptionsError(command + ": no run folder; give -o RUN_DIR");
    const bool has_run =
        std::filesystem::exists(run_dir / config_file) && std::filesystem::exists(synthetic_dir());
    if (has_run && config.empty() && preset.empty() && start_from.empty())
      throw OptionsError(concat(command, ": ", run_dir.string(), " has begun already; repeat the ",
                                "whole command to resume it or, once the text is translated, ",
                                "'dragoman train -o ", run_dir.string(), '\''));
    expect_one_best(search, search_option);
    expect_search_settings(search, search_option, /*also_model=*/false);
    for (const auto& text : monolingual) expect_regular_file(text);
    if (!dump_config) {
      expect_single_process(command);
      expect_inference_device_name("--translate-device", device);
      runs = open_runs(models, checkpoint);
      choose_languages(runs, languages);
    }
    return run_options(command);
  }

  void expect_regular_file(const std::string& text) const {
    if (text == "-")
      throw OptionsError(command +
                         ": the text is read more than once, which standard input cannot be; "
                         "write it to a file");
    expect_regular(text);
  }

  /// Translates `texts` and trains; what would end the training at once is found before.
  /// \param original parallel text besides
  void run_on(const RunOptions& options, const std::vector<std::string>& texts,
              const DataOptions& original) {
    for (const auto* files : {&original.train_source, &original.train_target})
      for (const auto& file : *files) expect_regular_file(file);
    if (dump_config) return write_configuration(options, texts);
    if (std::filesystem::exists(run_dir / config_file) && !std::filesystem::exists(synthetic_dir()))
      throw DataError(concat(run_dir.string(), ": contains a run without the translations of '",
                             command, "'; choose another output folder"));
    expect_text(texts);
    const auto training = request(options);
    expect_trainable(training);
    if (!original.train_source.empty())
      expect_parallel_text(original.train_source, original.train_target);
    if (translate(texts) == 0)
      throw DataError(command +
                      ": there is no translation to train on (look at some with "
                      "'dragoman translate'); give another text or model");
    const auto end = train(training);
    end_training(next_commands(options.data), end, options.train);
  }
};

/// \throws OptionsError if a setting is for corpora that a student does not read
void expect_no_original(const DataOptions& data) {
  const auto expect_unset = [](bool unset, const char* key, const char* remedy) {
    if (!unset)
      throw OptionsError(concat("distill: ", key,
                                " is for the original translations; give --keep-original, or ",
                                remedy));
  };
  expect_unset(data.weights.empty(), "data.weights", "set data.weights=[]");
  expect_unset(data.source_tag.empty(), "data.source_tag", "set data.source_tag=[]");
  expect_unset(data.target_tag.empty(), "data.target_tag",
               "set data.target_tag=[] (--target-tag names that of the synthetic text)");
}

struct Distill : SyntheticTraining {
  bool keep_original = false;

  /// As given; or, if a student to start from has tags, the language that the teacher translates
  /// into, or the one that all its own texts had.
  std::optional<std::string> tag_of_target() const {
    if (target_tag) require_tag("distill --target-tag", *target_tag);
    const auto& from = start_from.empty() ? init_from : start_from;
    if (target_tag || keep_original || !std::filesystem::exists(from)) return target_tag;
    const auto run = open_run(from, ModelKind::translation);
    if (!run.vocabulary.target.languages().empty()) return std::nullopt;  // has no tags
    const auto known = target_languages(run.vocabulary);
    const auto code = language_code(languages.target);
    if (std::ranges::find(known, code) != known.end()) return code;
    const auto& own = run.options.data.target_tag;
    const bool agree = !own.empty() && std::ranges::count(own, own.front()) == std::ssize(own);
    return agree && code.empty() ? std::optional(own.front()) : std::nullopt;
  }

  void run() {
    takes_over_corpora = keep_original;
    auto options = this->options();
    auto texts = options.data.train_source;
    texts.insert(texts.end(), monolingual.begin(), monolingual.end());
    if (texts.empty())
      throw OptionsError("distill: no text for the teacher; give --train-source or --monolingual");
    if (!keep_original) expect_no_original(options.data);
    if (keep_original && options.data.train_source.empty())
      throw OptionsError(
          "distill: --keep-original has no effect without parallel text; give --train-source and "
          "--train-target, or leave it out");
    const auto original = options.data;
    if (!keep_original) options.data.train_source = options.data.train_target = {};
    add_corpus(options.data, {.source = text().lines,
                              .target = text().translations,
                              .target_tag = tag_of_target(),
                              .languages = languages});
    run_on(options, texts, original);
  }
};

struct BackTranslate : SyntheticTraining {
  std::optional<std::string> tag = {};

  /// By default "bt"; nothing = as the other texts, if the model to start from has no such tag.
  std::optional<std::string> tag_of_text() const {
    const auto wanted = tag.value_or("bt");
    require_tag("back-translate --tag", wanted);
    const auto& from = start_from.empty() ? init_from : start_from;
    if (wanted.empty() || !std::filesystem::exists(from)) return wanted;
    const auto known = source_languages(open_run(from, ModelKind::translation).vocabulary);
    if (std::ranges::find(known, wanted) != known.end()) return wanted;
    const auto fact =
        concat("back-translate: ", from.string(), " has no piece for the tag ", wanted);
    if (tag) throw OptionsError(fact + "; give --tag \"\"");
    log_info(fact + ": the synthetic text is tagged as the other texts are");
    return std::nullopt;
  }

  void run() {
    auto options = this->options();
    auto& data = options.data;
    if (data.train_source.empty())
      throw OptionsError(
          "back-translate: no parallel text; give --train-source and --train-target");
    const auto tagged = tag_of_text();
    const auto original = data;
    if (target_tag) require_tag("back-translate --target-tag", *target_tag);
    add_corpus(data, {.source = text().translations,
                      .target = text().lines,
                      .source_tag = tagged,
                      .target_tag = target_tag,
                      .languages = {.source = languages.target, .target = languages.source}});
    run_on(options, monolingual, original);
  }
};

void add_model_options(CLI::App& sub, SyntheticTraining& arguments, const std::string& whose) {
  add_models_option(sub, arguments.models, whose)->required();
  add_checkpoint_option(sub, arguments.checkpoint);
  sub.add_option(
         search_option, arguments.search,
         "Search settings of the translating models: KEY=VALUE, such as search.beam_size=8 or "
         "search.sample=true")
      ->allow_extra_args();
  add_language_options(sub, arguments.languages);
  sub.add_option(
         "--target-tag", arguments.target_tag,
         "Language of the synthetic text's target side, as in data.target_tag (default: that "
         "of the other texts, if they have one)")
      ->type_name("TAG");
  sub.add_option("--translate-device", arguments.device,
                 "Where the translating models compute: cpu, cuda or cuda:N")
      ->capture_default_str();
  sub.add_option("--translate-workers", arguments.workers,
                 "Threads that translate; 0 = one per core, on a GPU 2")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, most_threads));
}

/// Adds a command with all that both have.
template <typename Command>
CLI::App* add_synthetic_training(CLI::App& app, const std::shared_ptr<Command>& command,
                                 const std::string& name, const std::string& description,
                                 const std::string& whose) {
  command->command = name;
  auto* sub = app.add_subcommand(name, description + ". The same command again resumes it");
  add_model_options(*sub, *command, whose);
  add_configuration_options(*sub, *command);
  add_start_options(*sub, *command);
  add_text_options(*sub, *command);
  add_limit_options(*sub, command->flags);
  sub->callback([command] { command->run(); });
  return sub;
}

}  // namespace

void add_distill(CLI::App& app) {
  auto command = std::make_shared<Distill>();
  auto* sub = add_synthetic_training(
      app, command, "distill",
      "Train a model on translations by a larger one, its teacher: sequence-level knowledge "
      "distillation",
      "Run folder of the teacher");
  sub->add_option("--monolingual", command->monolingual,
                  "Further source text without a translation: files, plain or .gz");
  sub->add_flag("--keep-original", command->keep_original,
                "Also train on the original translations");
}

void add_back_translate(CLI::App& app) {
  auto command = std::make_shared<BackTranslate>();
  auto* sub = add_synthetic_training(
      app, command, "back-translate",
      "Train a model on parallel text and on target text that a model of the reverse direction "
      "translates back",
      "Run folder of the model of the reverse direction");
  sub->add_option("--monolingual", command->monolingual,
                  "Target text to translate back: files, plain or .gz")
      ->required();
  sub->add_option("--tag", command->tag,
                  "Tag in front of the synthetic source text (Caswell et al. 2019); \"\" = none. A "
                  "model to start from that was trained without \"bt\" gets none by default")
      ->type_name("TAG")
      ->default_str("bt");
}

}  // namespace dragoman::app
