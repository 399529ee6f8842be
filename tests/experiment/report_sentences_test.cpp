#include "dragoman/experiment/report_sentences.h"
#include "dragoman/experiment/kept_results.h"
#include "dragoman/experiment/report_page.h"
#include "dragoman/experiment/report_text.h"
#include "experiment/synthetic_result.h"
#include "support/catch.h"

#include <string>
#include <vector>

namespace report_sentences_test {

using namespace dragoman;

namespace {

const ReportFacts facts = {.text = "a.en and a.de", .machine = "cpu", .version = "1"};

/// Two measured variants and one that is not.
ExperimentResult made_up() {
  return test::synthetic_result({{"plain", {20.0, 20.2}}, {"bold", {22.0, 22.2}}, {"none", {}}});
}

}  // namespace

TEST_CASE("a report says of how many training runs the program's version is not recorded",
          "[unit]") {
  auto result = made_up();
  for (auto& trial : result.trials) {
    trial.run = trial.variant + std::to_string(trial.seed);
    trial.record.version = "0.1.0";
  }
  CHECK(versions_text({result}).empty());
  result.trials[1].record = {.failure = "the loss is not finite"};
  CHECK(versions_text({result}).empty());
  result.trials[0].record.version.clear();
  const std::string said = " The program's version is not recorded for 1 of the 3 training runs.";
  CHECK(versions_text({result}) == said);
  CHECK(versions_text({result, result}) == said);  // tables that share their training runs
  CHECK_THAT(report_markdown({result}, facts), test::contains("Machine: cpu." + said));
  CHECK_THAT(report_page({result}, facts), test::contains("not recorded for 1 of the 3 training"));
}

TEST_CASE("the effort counts training runs, their minutes and, if known, their threads", "[unit]") {
  auto result = made_up();
  result.trials[0].record.values["train_seconds"] = 120.0;
  const std::string known = "4 of 6 training runs, 2 min of training";
  CHECK(effort_text(result) == known);
  for (auto& trial : result.trials) trial.record.threads = 1;
  CHECK(effort_text(result) == known + ", one thread each");
  result.trials[1].record.threads = 4;
  CHECK(effort_text(result) == known + ", 1 to 4 threads each");
  for (auto& trial : result.trials) trial.record.threads = 4;
  CHECK(effort_text(result) == known + ", 4 threads each");
  result.trials[2].record = {.failure = "the loss is not finite"};
  CHECK(effort_text(result) == known + ", 4 threads each");
  result.trials[3].record.threads = 0;
  CHECK(effort_text(result) == known);
}

TEST_CASE("the rule says which weights were measured, and whether the test text's error",
          "[unit]") {
  auto result = made_up();
  auto measured = facts;
  const auto rule = [&] { return rule_text({result}, measured); };
  CHECK_THAT(rule(), test::contains("The best weights by"));
  CHECK_THAT(rule(), test::contains("was not measured for BLEU"));
  CHECK_THAT(rule(), !test::contains("jackknife"));
  measured.weights = MeasuredWeights::last;
  CHECK_THAT(rule(), test::contains("The weights of the last update were measured"));
  for (auto& trial : result.trials)
    trial.record.jackknife["bleu"] = std::vector<double>(jackknife_groups, 20.0);
  CHECK_THAT(rule(), test::contains("jackknife"));
  CHECK(results_json({result}, measured).at("weights") == "last");
  CHECK(results_json({result}, measured).at("test_text_error") == true);
}

}  // namespace report_sentences_test
