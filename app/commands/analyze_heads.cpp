#include "commands/analyze.h"

#include <memory>

namespace dragoman::app {

namespace {

struct AnalyzeHeads {
  AnalyzedRun run;
  AnalyzedText text;
  std::filesystem::path word_pairs;
  bool importance = false, ablation = false, similarity = false, json = false;

  void execute() const {
    text.expect_one_standard_input({{"--word-pairs", word_pairs.string()}});
    const auto loaded = run.load();
    if (!word_pairs.empty()) return print_relations(loaded, text, word_pairs, json);
    const auto pairs = text.read(loaded);
    if (similarity)
      print_similarity(loaded, pairs, json);
    else if (importance)
      print_importance(loaded, pairs, {.ablation = ablation, .json = json});
    else
      print_heads(head_statistics(loaded, pairs), pairs.size(), json);
  }
};

}  // namespace

void add_analyze_heads(CLI::App& analyze) {
  auto command = std::make_shared<AnalyzeHeads>();
  auto* sub = analyze.add_subcommand("heads",
                                     "Describe what each head does: entropy, distance, weight on "
                                     "neighbours, roles, importance, similarity");
  command->run.add_options(*sub);
  command->text.add_options(*sub);
  auto* importance =
      sub->add_flag("--importance", command->importance,
                    "Rank the heads by the gradient of their gates (Michel et al. 2019)");
  sub->add_flag("--ablation", command->ablation, "Also measure the loss with each head removed")
      ->needs(importance);
  auto* similarity =
      sub->add_flag("--similarity", command->similarity,
                    "Show for each head the most similar one of its layer, and their distance")
          ->excludes(importance);
  sub->add_option(
         "--word-pairs", command->word_pairs,
         "Relations of source words (1-0:determiner-noun), one line per pair, to show how much "
         "weight each encoder head gives them")
      ->excludes(importance)
      ->excludes(similarity);
  sub->add_flag("--json", command->json,
                "Print JSON: one object, with --word-pairs one for each relation");
  sub->callback([command] { command->execute(); });
}

}  // namespace dragoman::app
