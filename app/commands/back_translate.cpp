#include "commands/added_corpus.h"
#include "commands/commands.h"
#include "commands/synthetic_training.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/text/language_tags.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace dragoman::app {

namespace {

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

}  // namespace

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
