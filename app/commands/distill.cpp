#include "commands/added_corpus.h"
#include "commands/commands.h"
#include "commands/synthetic_training.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
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
    if (!interpolate.empty() && texts.empty())
      throw OptionsError(
          "distill: --interpolate compares with given translations; give --train-source and "
          "--train-target, or leave it out");
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
  sub->add_option("--interpolate", command->interpolate,
                  "Of each beam of the teacher, train on the translation that is closest to the "
                  "given one by bleu (sentence BLEU) or chrf (chrF2), instead of the best: "
                  "sequence-level interpolation (Kim and Rush 2016)")
      ->check(CLI::IsMember({"bleu", "chrf"}));
}

}  // namespace dragoman::app
