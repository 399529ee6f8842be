#include "commands/commands.h"
#include "commands/device_option.h"
#include "commands/language_options.h"
#include "commands/score_output.h"
#include "commands/scoring_options.h"
#include "commands/search_arguments.h"
#include "commands/text_files.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/metrics/scoring.h"
#include "dragoman/metrics/unicode.h"
#include "dragoman/run/run_files.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "dragoman/text/text_file.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/likelihood.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/scorer.h"
#include "dragoman/translate/translation_log.h"
#include "dragoman/translate/translation_progress.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::app {

namespace {

/// A text to score or to score against, without white space at the ends of its lines.
struct ScoredText {
  std::string name;
  std::vector<std::string> lines;
};

/// \param file a path, or "-" for standard input
ScoredText read_scored(const std::string& file) {
  auto reader = open_text(file, LineUse::scoring);
  ScoredText text{reader.place(), {}};
  while (const auto line = reader.next())
    text.lines.push_back(unicode::strip_right_utf8(line->text));
  return text;
}

void expect_parallel(const ScoredText& text, const ScoredText& reference) {
  if (text.lines.size() != reference.lines.size())
    throw DataError(concat(text.name, ": ", text.lines.size(), " lines against ",
                           reference.lines.size(), " of ", reference.name,
                           "; line n of both must belong together"));
  if (text.lines.empty())
    throw DataError(concat(text.name, ": has no lines, and neither has ", reference.name,
                           "; give at least one line to score"));
}

/// The runs that are evaluated, and what they translate.
struct RunSystem {
  std::vector<RunFiles> runs;
  InferenceModels models;
  std::vector<std::string> lines;
};

struct Evaluate {
  std::string hypothesis, checkpoint, source, shortlist, device = "cpu";
  std::vector<std::filesystem::path> models;
  Languages languages;
  std::vector<std::string> references;
  std::string against;
  ScoringOptions scoring;
  ScoreOutput output;

  void run() const {
    scoring.validate();
    expect_one_standard_input(texts());
    std::optional<RunSystem> of_run;
    if (!models.empty()) of_run = open_system();
    const auto system = of_run ? translated(*of_run) : read_scored(hypothesis);
    std::vector<ReferenceStream> streams;
    for (const auto& file : references) {
      const auto reference = read_scored(file);
      expect_parallel(system, reference);
      streams.emplace_back(reference.lines.begin(), reference.lines.end());
    }
    std::optional<std::vector<std::string>> baseline;
    if (!against.empty()) {
      auto other = read_scored(against);
      expect_parallel(other, system);
      warn_if_tokenized(other);
      baseline = std::move(other.lines);
    }
    warn_if_tokenized(system);
    const auto scores = score_corpus(system.lines, streams, scoring, baseline);
    std::optional<Likelihood> likelihood;
    if (of_run) likelihood = likelihood_of(*of_run, streams);
    write_scores(std::cout, {.metrics = scores, .baseline = against, .likelihood = likelihood},
                 output);
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
    choose_languages(runs, languages);
    auto of_runs = inference_models(runs, runs.front().options.search, device);
    return {.runs = std::move(runs),
            .models = std::move(of_runs),
            .lines = read_input(source, LineUse::training)};
  }

  /// The source translated by the model, as the scored text.
  ScoredText translated(const RunSystem& system) const {
    const auto& options = system.runs.front().options;
    const auto& lines = system.lines;
    const auto place = source == "-" ? "standard input" : source;
    const auto& vocabulary = system.runs.front().vocabulary;
    LineTranslatorOptions how{.max_source_length = options.data.max_length, .seed = options.seed};
    if (!shortlist.empty())
      how.shortlist = std::make_shared<const Shortlist>(load_shortlist(shortlist, vocabulary));
    const LineTranslator translator(system.models, vocabulary, options.search, how);
    TranslationProgress progress(place, std::ssize(lines));
    TranslationLog log(place, TranslationLog::Detail::counts);
    TargetReminder reminder(vocabulary.source, place);
    for (std::size_t i = 0; i < lines.size(); ++i)
      reminder.tell(static_cast<std::int64_t>(i) + 1, lines[i]);
    ScoredText text{place, {}};
    for (const auto& translation : translator.translate(
             lines,
             {.prefixes = {}, .first_line = 0, .progress = progress.of_lines(std::ssize(lines))})) {
      text.lines.push_back(translation.text());
      log.tell({.text = {}, .number = std::ssize(text.lines)}, translation);
    }
    log.finish();
    return text;
  }

  /// That of the references, given the source.
  static Likelihood likelihood_of(const RunSystem& system,
                                  const std::vector<ReferenceStream>& streams) {
    PairScorer scorer(system.models, system.runs.front().vocabulary);
    Likelihood likelihood;
    for (const auto& stream : streams) {
      std::vector<LinePair> pairs;
      for (std::size_t i = 0; i < stream.size(); ++i)
        if (stream[i]) pairs.push_back({system.lines[i], *stream[i]});
      for (const auto& score : scorer.score(pairs)) likelihood.add(score);
    }
    return likelihood;
  }

  void warn_if_tokenized(const ScoredText& text) const {
    if (scoring.bleu.tokenizer == BleuTokenizer::none || !looks_tokenized(text.lines)) return;
    log_warning(concat(text.name, ": many lines end in a space and a full stop, as tokenized text ",
                       "does; detokenize it, or BLEU cannot be compared with published scores"));
  }
};

}  // namespace

void add_evaluate(CLI::App& app) {
  auto command = std::make_shared<Evaluate>();
  auto* sub = app.add_subcommand(
      "evaluate",
      "Score translations by BLEU, chrF and TER, with sacreBLEU's digits; of a run also the "
      "likelihood of the references. Exit codes: "
      "0 done, 1 a file or its text, 2 the command line");
  auto* hypothesis =
      sub->add_option("--hypothesis", command->hypothesis,
                      "Translations to score, one per line, plain or .gz; - = standard input");
  auto* model = add_models_option(*sub, command->models);
  auto* system = sub->add_option_group("what is scored");
  system->add_options(hypothesis, model);
  system->require_option(1);
  sub->add_option("--checkpoint", command->checkpoint,
                  "Checkpoint of the run: latest, best-METRIC or step-N (default: the run's best)")
      ->needs(model);
  sub->add_option("--shortlist", command->shortlist,
                  "Vocabulary shortlist to translate with, as of translate --shortlist; with -m")
      ->needs(model);
  sub->add_option(
         "--source", command->source,
         "Text to translate with the run, then to score, plain or .gz; - = standard input; with -m")
      ->needs(model);
  for (auto* option : add_language_options(*sub, command->languages)) option->needs(model);
  add_device_option(*sub, command->device)->needs(model);
  sub->add_option("--reference", command->references,
                  "Human translations, one file or more, each parallel to the hypotheses; - = "
                  "standard input")
      ->required();
  auto* against =
      sub->add_option("--against", command->against,
                      "Another system's translations; tests the difference; - = standard input");
  add_scoring_options(*sub, command->scoring);
  sub->get_option("--paired")->needs(against);
  add_output_options(*sub, command->output);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
