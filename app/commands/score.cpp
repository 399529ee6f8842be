#include "commands/commands.h"
#include "commands/device_option.h"
#include "commands/language_options.h"
#include "commands/model_options.h"
#include "commands/search_arguments.h"
#include "commands/text_files.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/run/run_files.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/scorer.h"
#include "dragoman/translate/unknown_characters.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <memory>

namespace dragoman::app {

namespace {

struct Score {
  std::vector<std::filesystem::path> models;
  std::string checkpoint, source, target, device = "cpu";
  Languages languages;
  std::int64_t workers = 0;
  bool per_token = false;
  bool json = false;

  void run() const {
    expect_one_standard_input({{"--source", source}, {"--target", target}});
    ParallelText text(std::vector{source}, std::vector{target}, BlankPairs::allowed);
    auto runs = open_runs(models, checkpoint);
    choose_languages(runs, languages);
    const auto of_runs = inference_models(runs, {}, device);
    PairScorer scorer(of_runs, runs.front().vocabulary, {.workers = workers});
    expect_texts(scorer);
    TargetReminder reminder(runs.front().vocabulary.source, runs.front().options.data,
                            text_place(source));
    UnknownCharacters unknown_source(text_place(source), ""),
        unknown_target(text_place(target), "");
    Progress progress("scoring", "lines", 0);
    std::int64_t lines = 0;
    bool has_text = false;
    score_parallel_text(text, scorer, [&](const LinePair& pair, const PairScore& score) {
      has_text |= !pair.source.empty() || !pair.target.empty();
      reminder.tell(++lines, pair.source);
      expect_no_fault(score.fault, lines);
      unknown_source.tell(lines, score.unknown_source);
      unknown_target.tell(lines, score.unknown_target);
      print(score);
      progress.show(lines);
    });
    progress.finish();
    expect_text(has_text, lines);
    unknown_source.finish();
    unknown_target.finish();
  }

  /// Where the texts can be read again, they are refused before anything is printed.
  void expect_texts(const PairScorer& scorer) const {
    namespace fs = std::filesystem;
    if (source == "-" || target == "-" || !fs::is_regular_file(source) ||
        !fs::is_regular_file(target))
      return;
    ParallelText text(std::vector{source}, std::vector{target}, BlankPairs::allowed);
    bool has_text = false;
    while (const auto pair = text.next()) {
      has_text |= !pair->source.empty() || !pair->target.empty();
      expect_no_fault(scorer.fault_of(*pair), text.pairs());
    }
    expect_text(has_text, text.pairs());
  }

  void expect_no_fault(const std::string& fault, std::int64_t line) const {
    if (!fault.empty())
      throw DataError(
          concat(text_place(source), " and ", text_place(target), ": line ", line, ": ", fault));
  }

  void expect_text(bool has_text, std::int64_t lines) const {
    if (!has_text)
      throw DataError(concat(text_place(source), " and ", text_place(target), ": 0 of ", lines,
                             " lines have text; give at least one to score"));
  }

  void print(const PairScore& score) const {
    if (json) {
      std::cout << nlohmann::json{{"log_prob", score.log_prob},
                                  {"tokens", score.pieces},
                                  {"token_log_probs", score.piece_log_probs}}
                       .dump()
                << '\n';
      return;
    }
    std::cout << decimal(score.log_prob, 6);
    for (std::size_t i = 0; per_token && i < score.pieces.size(); ++i)
      std::cout << (i == 0 ? '\t' : ' ') << score.pieces[i] << ':'
                << decimal(score.piece_log_probs[i], 6);
    std::cout << '\n';
  }
};

}  // namespace

void add_score(CLI::App& app) {
  auto command = std::make_shared<Score>();
  auto* sub =
      app.add_subcommand("score", "Print log P(target | source) in nats for each pair of lines");
  add_models_option(*sub, command->models)->required();
  add_checkpoint_option(*sub, command->checkpoint);
  sub->add_option("--source", command->source, "Source text, plain or .gz; - = standard input")
      ->required();
  sub->add_option("--target", command->target, "Target text, line for line; - = standard input")
      ->required();
  add_language_options(*sub, command->languages);
  add_device_option(*sub, command->device);
  add_workers_option(*sub, command->workers);
  sub->add_flag("--per-token", command->per_token,
                "Add a tab and PIECE:LOG_PROB of each target piece");
  sub->add_flag("--json", command->json, "One JSON object per line, which names each piece")
      ->excludes("--per-token");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
