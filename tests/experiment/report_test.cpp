#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/experiment/figures.h"
#include "dragoman/experiment/kept_results.h"
#include "dragoman/experiment/report_page.h"
#include "dragoman/experiment/report_sentences.h"
#include "dragoman/experiment/report_tables.h"
#include "dragoman/experiment/report_text.h"
#include "dragoman/experiment/write_report.h"
#include "experiment/reported_result.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <limits>

namespace report_test {

using namespace dragoman;
using test::facts, test::has, test::reported;

TEST_CASE("the table of variants has mean and spread over seeds, and a dash for missing values",
          "[unit]") {
  const auto table = variants_table(reported());
  CHECK(table.headings == std::vector<std::string>{"variant", "seeds", "BLEU"});
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0] == std::vector<std::string>{"plain", "2", "20.10 ± 0.14"});
  CHECK(table.rows[2] == std::vector<std::string>{"none", "0", "–"});
}

TEST_CASE("a number too small for its decimals has its power of ten, but for scores", "[unit]") {
  auto result = reported();
  result.experiment.columns = {"bleu", "gradient_ratio"};
  for (auto& trial : result.trials)
    trial.record.values = {{"bleu", 0.001}, {"gradient_ratio", 2.5e-40}};
  CHECK(variants_table(result).rows[0] ==
        std::vector<std::string>{"plain", "2", "0.00", "2.5e-40"});
}

TEST_CASE("a diverged training is reported in the table and not averaged", "[unit]") {
  auto result = reported();
  result.trials[1].record = {.failure = "no finite loss"};
  CHECK(variants_table(result).rows[0] ==
        std::vector<std::string>{"plain", "1, 1 diverged", "20.00"});
}

TEST_CASE("reliability and lengths have one row per part and one column per variant", "[unit]") {
  const auto reliability = reliability_table(reported());
  REQUIRE(reliability.rows.size() == 2);
  CHECK(reliability.rows[0] == std::vector<std::string>{"0.0 to 0.5", "0.250 (20)", "0.250 (20)"});
  const auto lengths = lengths_table(reported());
  REQUIRE(lengths.rows.size() == 2);
  CHECK(lengths.rows[0] ==
        std::vector<std::string>{"1 to 8 (3 sentences)", "20.0 / 2.00", "20.0 / 2.00"});
  CHECK(lengths.rows[1][1] == "–");
}

TEST_CASE("lengths have the numbers of sentences in their cells if these differ by variant",
          "[unit]") {
  auto result = reported();
  for (const std::size_t i : {2, 3})
    result.trials[i].record.lengths = {{1, 8, 1, 20.0, 2.0}, {9, 16, 2, 10.0, 3.0}};
  const auto table = lengths_table(result);
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0] == std::vector<std::string>{"1 to 8", "20.0 / 2.00 (3 sentences)",
                                                  "20.0 / 2.00 (1 sentence)"});
  CHECK(table.rows[1] == std::vector<std::string>{"9 and more", "–", "–"});
  CHECK(table.rows[2] == std::vector<std::string>{"9 to 16", "–", "10.0 / 3.00 (2 sentences)"});
}

TEST_CASE("lengths are told if the first training has none", "[unit]") {
  auto result = reported();
  result.trials[0].record.lengths.clear();
  const auto table = lengths_table(result);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0] == std::vector<std::string>{"1 to 8 (3 sentences)", "–", "20.0 / 2.00"});
}

TEST_CASE("answers have one row for each length that any variant has", "[unit]") {
  auto result = reported();
  result.trials[3].record.answers = {{100, 40, 0.7}};
  const auto table = answers_table(result);
  CHECK(table.headings == std::vector<std::string>{"length", "plain: answered exactly",
                                                   "<b>|bold_: answered exactly"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0] == std::vector<std::string>{"2", "1.000 (50 lines)", "1.000 (50 lines)"});
  CHECK(table.rows[1] ==
        std::vector<std::string>{"100", "0.500 (50 lines)", "0.600 ± 0.141 (40 lines)"});
}

TEST_CASE("the figure of reliability has each prediction of all trainings once", "[unit]") {
  auto result = reported();
  result.trials[0].record.reliability = {{0.5, 1.0, 30, 0.8, 0.9}};
  result.trials[1].record.reliability = {{0.5, 1.0, 10, 0.6, 0.5}};
  const auto svg = figure_svg({.kind = FigureKind::reliability, .title = "Drawn"}, result);
  CHECK(has(svg, "<title>plain: 0.75, 0.8</title>"));
}

TEST_CASE("a finding against a number names it", "[unit]") {
  auto result = reported();
  auto& claim = result.experiment.claims[0];
  claim.compare[0].than.clear();
  claim.compare[0].value = 19.0;
  CHECK(finding_text(claim, judge(result)[0].findings[0]) ==
        "BLEU of \"<b>|bold_\" higher than 19.00: +3.10 ± 1.27, p = 0.021, confirmed");
}

TEST_CASE("a finding says which training runs diverged, and why there is no verdict", "[unit]") {
  auto result = reported();
  const auto text = [&] {
    return finding_text(result.experiment.claims[0], judge(result)[0].findings[0]);
  };
  result.trials[0].record = {.failure = "no finite loss"};
  CHECK(text() ==
        "BLEU of \"<b>|bold_\" higher than that of \"plain\" (1 of 2 training runs of \"plain\" "
        "diverged): p = 1.000, within noise at this size");
  result.trials.erase(result.trials.begin());
  CHECK(text() ==
        "BLEU of \"<b>|bold_\" higher than that of \"plain\", not measured: fewer than two "
        "training runs with a value");
}

TEST_CASE("a finding states the expectation, the difference, its noise and the verdict", "[unit]") {
  const auto result = reported();
  const auto& claim = result.experiment.claims[0];
  CHECK(finding_text(claim, judge(result)[0].findings[0]) ==
        "BLEU of \"<b>|bold_\" higher than that of \"plain\": +2.00 ± 0.61, p = 0.005, confirmed");
}

TEST_CASE("a report says which training runs two tables share, and what the results mean",
          "[unit]") {
  auto first = reported(), second = reported();
  second.experiment.name = "other";
  for (auto& trial : second.trials) trial.run = "run-2";
  CHECK(shared_text(first, {first, second}).empty());
  second.trials[0].run = first.trials[2].run = "run-3";
  CHECK(shared_text(first, {first, second}) ==
        " The same training runs: \"<b>|bold_\" and \"plain\" of other.");
  first.practice = "Use <b>.";
  CHECK(has(report_markdown({first, second}, facts), "In practice: Use \\<b>."));
  CHECK(has(report_page({first, second}, facts), "In practice: Use &lt;b&gt;."));
}

TEST_CASE("tables say what the number after the sign is", "[unit]") {
  CHECK_THAT(report_markdown({reported()}, facts),
             test::contains("Mean ± standard deviation over seeds:\n\n| variant |"));
  CHECK_THAT(report_page({reported()}, facts),
             test::contains("<caption>Mean ± standard deviation over seeds</caption>"));
}

TEST_CASE("numbers that are not finite are left out of kept results, which can be read", "[unit]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  auto result = reported();
  auto& record = result.trials[0].record;
  record.values["valid_nll"] = nan;
  record.jackknife["chrf"] = {1.0, nan};
  record.train.nll[1] = std::numeric_limits<double>::infinity();
  record.gradients[0].trained = nan;
  record.heads[0].relations = nan;
  record.lengths[0].nll = nan;
  const test::TemporaryDirectory folder;
  write_report(folder.path(), {result}, facts);
  const auto kept = read_results(folder / "results.json").results.at(0).trials.at(0).record;
  CHECK_FALSE(kept.values.contains("valid_nll"));
  CHECK(kept.values.contains("bleu"));
  CHECK(kept.jackknife.empty());
  CHECK(kept.train.step == std::vector<double>{10});
  REQUIRE(kept.gradients.size() == 1);
  CHECK(kept.gradients[0].layer == 2);
  REQUIRE(kept.heads.size() == 1);
  CHECK(kept.heads[0].layer == 2);
  REQUIRE(kept.lengths.size() == 2);
  CHECK(kept.lengths[0].sentences == 0);
}

TEST_CASE("kept results make the same report again", "[unit]") {
  auto all = std::vector<JudgedResult>{reported()};
  all[0].practice = "Use it.";
  const test::TemporaryDirectory folder;
  write_report(folder / "first", all, facts);
  const auto kept = read_results(folder / "first" / "results.json");
  write_report(folder / "again", kept.results, kept.facts);
  CHECK(results_json(kept.results, kept.facts) == results_json(all, facts));
  for (const char* name : {"results.json", "REPORT.md", "report.html"}) {
    CAPTURE(name);
    CHECK(read_file(folder / "first" / name) == read_file(folder / "again" / name));
  }
}

TEST_CASE("a file that holds no results is refused", "[unit]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "a.json") << "{\"experiments\": 3}";
  CHECK_THROWS_AS(read_results(folder / "a.json"), FormatError);
  std::ofstream(folder / "c.json")
      << R"({"text": "", "machine": "", "version": "", "weights": "worst", "experiments": []})";
  CHECK_THROWS_WITH(read_results(folder / "c.json"), test::contains("/weights: \"worst\""));
  std::ofstream(folder / "b.json") << "no JSON";
  CHECK_THROWS_AS(read_results(folder / "b.json"), FormatError);
  CHECK_THROWS_AS(read_results(folder / "none.json"), DataError);
}

TEST_CASE("kept values of which no error can be computed are refused", "[unit]") {
  const test::TemporaryDirectory folder;
  for (const double value : {-5e300, 1e80}) {
    auto results = results_json({reported()}, facts);
    auto& record = results["experiments"][0]["trials"][0]["record"];
    record["values"]["bleu"] = value;
    std::ofstream(folder / "values.json") << results;
    CHECK_THROWS_WITH(read_results(folder / "values.json"),
                      test::contains(", plain: bleu is ") && test::contains(", too large to "));
    record["values"]["bleu"] = 1e60;
    std::ofstream(folder / "values.json") << results;
    CHECK_NOTHROW(read_results(folder / "values.json"));
    record["jackknife"]["bleu"] = std::vector(20, value);
    std::ofstream(folder / "values.json") << results;
    CHECK_THROWS_AS(read_results(folder / "values.json"), FormatError);
  }
}

TEST_CASE("kept claims, columns and figures of an unknown measure are refused", "[unit]") {
  const test::TemporaryDirectory folder;
  for (const char* place : {"/claims/0/measure", "/columns/0", "/figures/0/measure"}) {
    CAPTURE(place);
    auto results = results_json({reported()}, facts);
    results["experiments"][0]["definition"][nlohmann::json::json_pointer(place)] = "blue";
    std::ofstream(folder / "values.json") << results;
    CHECK_THROWS_WITH(read_results(folder / "values.json"),
                      test::contains(": synthetic: \"blue\" is not a measure"));
  }
}

TEST_CASE("figures without measurements are omitted", "[unit]") {
  auto result = reported();
  result.trials.clear();
  for (const auto& figure : result.experiment.figures) CHECK(figure_svg(figure, result).empty());
}

TEST_CASE("the Markdown has the claims with verdicts, and escapes bars in cells", "[unit]") {
  const auto text = report_markdown({reported()}, facts);
  CHECK(has(text, "| bold \\<i>wins\\</i> | synthetic | confirmed |"));
  CHECK(has(text, "| \\<b>\\|bold\\_ | 2 | 22.10 ± 0.14 |"));
  CHECK(has(text, "- bold \\<i>wins\\</i>: **confirmed**"));
}

TEST_CASE("results are JSON with trials and verdicts, in nine digits", "[unit]") {
  auto result = reported();
  result.trials[0].record.values["bleu"] = 20.123456789;
  const auto json = results_json({result}, facts);
  const auto& experiment = json.at("experiments").at(0);
  CHECK(experiment.at("trials").at(0).at("record").at("values").at("bleu") == 20.1234568);
  CHECK(experiment.at("verdicts").at(0).at("verdict") == "confirmed");
  CHECK(experiment.at("definition").at("title") == "A title");
}

}  // namespace report_test
