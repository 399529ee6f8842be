#include "commands/analyze.h"
#include "commands/text_files.h"

#include "dragoman/analysis/pruning_curve.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/corpus/corpus.h"

#include <iostream>
#include <memory>

namespace dragoman::app {

namespace {

struct AnalyzePruning {
  AnalyzedRun run;
  AnalyzedText text;
  std::string test_source, test_target;
  std::int64_t seeds = 3;
  std::filesystem::path plot;
  bool json = false;

  void execute() const {
    text.expect_one_standard_input(
        {{"--test-source", test_source}, {"--test-target", test_target}});
    for (const auto& read : {text.source, text.target, test_source, test_target})
      expect_other_file(plot.string(), read, "--plot");
    expect_writable(plot.string());
    const auto test = read_parallel(std::vector{test_source}, std::vector{test_target});
    if (test.empty()) throw DataError(concat(test_source, ": no lines; give a text to translate"));
    const auto loaded = run.load();
    const auto order = heads_by_importance(loaded, text.read(loaded));
    PruningCurveOptions options;
    options.seeds.clear();
    for (std::int64_t seed = 1; seed <= seeds; ++seed)
      options.seeds.push_back(static_cast<std::uint64_t>(seed));
    const auto curve = pruning_curve(loaded, order, test, options);
    std::cout << (json ? curve.json().dump(1) + '\n' : curve.text());
    if (!plot.empty()) write_file_atomically(plot, curve.svg());
  }
};

}  // namespace

void add_analyze_pruning(CLI::App& analyze) {
  auto command = std::make_shared<AnalyzePruning>();
  auto* sub = analyze.add_subcommand(
      "pruning",
      "Measure how BLEU falls as 0 to 90 % of the heads are pruned, by importance and at random");
  command->run.add_options(*sub);
  command->text.add_options(*sub);
  sub->add_option("--test-source", command->test_source,
                  "Text to translate for each point, plain or .gz; - = standard input")
      ->required();
  sub->add_option("--test-target", command->test_target,
                  "Its reference, line for line; - = standard input")
      ->required();
  sub->add_option("--seeds", command->seeds, "Random orders to average over")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  sub->add_option("--plot", command->plot, "SVG file to write the curve to")
      ->check(a_file())
      ->check(written_as("svg"));
  sub->add_flag("--json", command->json, "Print one JSON object");
  sub->callback([command] { command->execute(); });
}

}  // namespace dragoman::app
