#include "commands/commands.h"
#include "commands/device_option.h"
#include "commands/language_options.h"
#include "commands/model_options.h"
#include "commands/option_flags.h"
#include "commands/run_system.h"
#include "commands/score_output.h"
#include "commands/scored_text.h"
#include "commands/scoring_options.h"
#include "commands/search_arguments.h"
#include "commands/text_files.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/metrics/scoring.h"
#include "dragoman/metrics/unicode.h"
#include "dragoman/run/run_files.h"
#include "dragoman/translate/likelihood.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::app {

namespace {

struct Evaluate {
  std::string hypothesis, checkpoint, source, shortlist, device = "cpu";
  std::vector<std::filesystem::path> models;
  std::vector<std::string> settings;  ///< --set, of the search
  std::string translated_to;          ///< file for the translations; empty = none
  std::int64_t workers = 0;
  Languages languages;
  std::vector<std::string> references;
  std::string against;
  ScoringOptions scoring;
  ScoreOutput output;

  void run() const {
    scoring.validate();
    expect_one_standard_input(texts());
    for (const auto& text : texts()) expect_other_file(translated_to, text.file);
    expect_other_file(translated_to, shortlist);
    std::optional<RunSystem> of_run;
    std::vector<std::string> lines;
    const auto place = text_place(source);
    if (!models.empty()) {
      if (!translated_to.empty()) expect_writable(translated_to);
      of_run = open_system();
      lines = read_input(source, LineUse::training);
      if (!lines.empty() && is_blank(lines))
        log_warning(place + ": no line has text; all translations will be blank");
    }
    // Of a run, the texts are compared before they are translated.
    auto system = of_run ? ScoredText{place, lines} : read_scored(hypothesis);
    std::vector<ReferenceStream> streams;
    for (const auto& file : references) {
      const auto reference = read_scored(file);
      if (is_blank(reference.lines)) log_warning(reference.name + ": no line has text");
      expect_parallel(system, reference);
      warn_if_unsplit(reference, of_run);
      streams.emplace_back(reference.lines.begin(), reference.lines.end());
    }
    std::optional<std::vector<std::string>> baseline;
    if (!against.empty()) {
      auto other = read_scored(against);
      expect_parallel(other, system);
      warn_if_tokenized(other);
      baseline = std::move(other.lines);
    }
    if (of_run) system.lines = translations(*of_run, lines, system.name);
    if (!translated_to.empty()) write_output(translated_to, joined(system.lines, "\n") + '\n');
    warn_if_tokenized(system);
    if (output.sentence_level) return write_sentences(system.lines, streams);
    if (!of_run && is_blank(system.lines)) log_warning(system.name + ": no line has text");
    if (of_run && is_blank(system.lines) && !is_blank(lines))
      log_warning(concat(system.name, ": all ", lines.size(),
                         " translations are blank; the model may need more training"));
    if (baseline == system.lines)
      log_warning(
          concat(against, ": is the same translation, line by line; the p-value is meaningless"));
    const auto results = score_corpus(system.lines, streams, scoring, baseline);
    std::optional<Likelihood> likelihood;
    if (of_run) likelihood = likelihood_of(*of_run, pairs_of(lines, streams));
    write_scores({.metrics = results, .baseline = against, .likelihood = likelihood}, output);
  }

  /// Of references that have no spaces, unless they are scored as such.
  void warn_if_unsplit(const ScoredText& reference, const std::optional<RunSystem>& of_run) const {
    const auto tokenizer = scoring.bleu.tokenizer;
    if (const auto warning = scores("bleu") && tokenizer != BleuTokenizer::none
                                 ? unsplit_warning(reference.lines, tokenizer, "--tokenize ")
                                 : std::nullopt) {
      const auto own =
          of_run ? of_run->runs.front().options.train.bleu_tokenizer_name() : std::string();
      const bool suits = of_run && !are_unsplit(reference.lines, tokenizer_named(own));
      log_warning(concat(reference.name, ": ", *warning,
                         suits ? concat("; train.bleu_tokenizer of the run is ", own) : ""));
    }
    if (scores("ter") && !(scoring.ter.normalized && scoring.ter.asian_support) &&
        are_unsplit(reference.lines, BleuTokenizer::none))
      log_warning(concat(reference.name,
                         ": TER: the references have few spaces, so that TER mostly counts "
                         "identical lines; give --ter-normalized --ter-asian-support for Chinese "
                         "and Japanese, and divide other text into words first"));
  }

  static bool is_blank(const std::vector<std::string>& lines) {
    return std::ranges::all_of(lines, &std::string::empty);
  }

  void write_sentences(const std::vector<std::string>& lines,
                       const std::vector<ReferenceStream>& streams) const {
    const auto metrics = score_sentences(lines, streams, scoring);
    for (const auto& metric : metrics) log_info(concat("sentence level: ", metric.signature));
    write_sentence_scores(metrics, output);
  }

  std::vector<NamedText> texts() const {
    std::vector<NamedText> all = {{"--hypothesis", hypothesis}, {"--source", source}};
    for (const auto& file : references) all.push_back({"--reference", file});
    all.push_back({"--against", against});
    return all;
  }

  RunSystem open_system() const {
    if (source.empty()) throw OptionsError("evaluate: -m without a text; give --source FILE");
    auto runs = open_runs(models, checkpoint);
    for (const auto& run : runs) expect_no_text_of(translated_to, run.options.data);
    runs.front().options = with_one_best(runs.front().options, settings, "--set");
    auto system = run_system(std::move(runs), languages, device);
    system.workers = workers;
    system.batch_tokens_given = set_option(settings, "search.batch_tokens");
    return system;
  }

  std::vector<std::string> translations(const RunSystem& system, std::span<const std::string> lines,
                                        const std::string& place) const {
    std::vector<std::string> texts;
    for (const auto& translation : translated(system, lines, place, shortlist))
      texts.push_back(unicode::strip_right_utf8(translation.text()));
    return texts;
  }

  /// The references, each with its source.
  static std::vector<LinePair> pairs_of(const std::vector<std::string>& lines,
                                        const std::vector<ReferenceStream>& streams) {
    std::vector<LinePair> pairs;
    for (const auto& stream : streams)
      for (std::size_t i = 0; i < stream.size(); ++i)
        if (stream[i]) pairs.push_back({lines[i], *stream[i]});
    return pairs;
  }

  bool scores(std::string_view metric) const {
    return std::ranges::find(scoring.metrics, metric) != scoring.metrics.end();
  }

  void warn_if_tokenized(const ScoredText& text) const {
    const bool by_bleu = scores("bleu") && scoring.bleu.tokenizer != BleuTokenizer::none;
    if (!by_bleu || !looks_tokenized(text.lines)) return;
    log_warning(concat(text.name, ": many lines end in a space and a full stop, as tokenized text ",
                       "does; detokenize it, or BLEU cannot be compared with published scores"));
  }
};

}  // namespace

void add_evaluate(CLI::App& app) {
  auto command = std::make_shared<Evaluate>();
  auto* sub = app.add_subcommand(
      "evaluate",
      "Score translations by BLEU, chrF and TER, with the same results as sacreBLEU; for a run, "
      "also report the likelihood of the references");
  auto* hypothesis =
      sub->add_option("--hypothesis", command->hypothesis,
                      "Translations to score, one per line, plain or .gz; - = standard input");
  auto* model = add_models_option(*sub, command->models);
  auto* system = sub->add_option_group("what is scored");
  system->add_options(hypothesis, model);
  system->require_option(1);
  add_checkpoint_option(*sub, command->checkpoint, "Checkpoint of the run: ")->needs(model);
  sub->add_option("--shortlist", command->shortlist,
                  "Vocabulary shortlist for translating (see translate --shortlist); with -m")
      ->needs(model);
  sub->add_option(
         "--source", command->source,
         "Text for the run to translate before scoring, plain or .gz; - = standard input; with -m")
      ->needs(model);
  add_set_option(*sub, command->settings, "search.beam_size=8 for its translations")->needs(model);
  for (auto* option : add_language_options(*sub, command->languages)) option->needs(model);
  add_device_option(*sub, command->device)->needs(model);
  sub->add_option("-o,--output", command->translated_to,
                  "File for the translations that are scored; with -m")
      ->check(a_file())
      ->needs(model);
  add_workers_option(*sub, command->workers)->needs(model);
  sub->add_option("--reference", command->references,
                  "Human translations, one file or more, each parallel to the hypotheses; - = "
                  "standard input")
      ->required();
  auto* against =
      sub->add_option("--against", command->against,
                      "Another system's translations, to test the difference; - = standard input");
  add_scoring_options(*sub, command->scoring);
  sub->get_option("--paired")->needs(against);
  add_output_options(*sub, command->output);
  sub->callback([command, sub] {
    expect_effect(*sub, command->scoring);
    command->run();
  });
}

}  // namespace dragoman::app
