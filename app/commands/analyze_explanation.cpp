#include "commands/analyze.h"

#include "dragoman/analysis/attention_erasure.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace dragoman::app {

namespace {

struct AnalyzeExplanation {
  AnalyzedRun run;
  AnalyzedText text;
  std::uint64_t seed = 1;
  bool json = false;

  void execute() const {
    text.expect_one_standard_input();
    const auto loaded = run.load();
    const auto report = test_erasure(loaded, text.read(loaded), seed);
    if (json) return print_json(report);
    std::cout << text_table({{"source piece erased", "log P lost, nats"},
                             {"most attended", decimal(report.drop_most_attended, 3)},
                             {"largest gradient x input", decimal(report.drop_largest_gradient, 3)},
                             {"another, at random", decimal(report.drop_random, 3)},
                             {"least attended", decimal(report.drop_least_attended, 3)}})
              << "the most attended piece costs more than another in "
              << decimal(100 * report.attended_beats_random, 1) << " % of "
              << counted(report.sentences, "sentence")
              << "\nrank correlation of attention with gradient x input: "
              << decimal(report.rank_correlation, 3) << " on average, above 0.5 in "
              << decimal(100 * report.correlated, 1) << " %\n"
              << "The attention is the mean of the last decoder layer's heads. Two measures of "
                 "importance that agree have a rank correlation near 1.\n";
  }

  static void print_json(const ErasureReport& report) {
    std::cout << nlohmann::ordered_json{{"sentences", report.sentences},
                                        {"rank_correlation", report.rank_correlation},
                                        {"correlated", report.correlated},
                                        {"drop_most_attended", report.drop_most_attended},
                                        {"drop_least_attended", report.drop_least_attended},
                                        {"drop_largest_gradient", report.drop_largest_gradient},
                                        {"drop_random", report.drop_random},
                                        {"attended_beats_random", report.attended_beats_random}}
                     .dump()
              << '\n';
  }
};

}  // namespace

void add_analyze_explanation(CLI::App& analyze) {
  auto command = std::make_shared<AnalyzeExplanation>();
  auto* sub = analyze.add_subcommand("explanation",
                                     "Test whether attention explains: compare erasing the most "
                                     "attended source piece with erasing a random one, and "
                                     "attention with gradients");
  command->run.add_options(*sub);
  command->text.add_options(*sub);
  sub->add_option("--seed", command->seed, "Seed of the random pieces")->capture_default_str();
  sub->add_flag("--json", command->json, "Print one JSON object");
  sub->callback([command] { command->execute(); });
}

}  // namespace dragoman::app
