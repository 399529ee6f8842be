#include "dragoman/experiment/kept_results.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/experiment/measures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace dragoman {

namespace {

/// Rounds numbers to nine significant digits: parameters stay exact, at two thirds of the size.
void shorten(nlohmann::json& value) {
  if (value.is_number_float()) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", value.get<double>());
    value = std::strtod(digits, nullptr);
  }
  if (value.is_structured())
    for (auto& below : value) shorten(below);
}

nlohmann::json finding_json(const Finding& finding) {
  nlohmann::json found = {{"expected", finding.expected},
                          {"difference", finding.difference},
                          {"half_width", finding.half_width},
                          {"probability", finding.probability},
                          {"verdict", name_of(finding.verdict)}};
  if (finding.of.diverged > 0) found["of_diverged"] = finding.of.diverged;
  if (finding.than.diverged > 0) found["than_diverged"] = finding.than.diverged;
  if (!finding.reason.empty()) found["reason"] = finding.reason;
  return found;
}

nlohmann::json judgement_json(const Judgement& judgement) {
  auto findings = nlohmann::json::array();
  for (const auto& finding : judgement.findings) findings.push_back(finding_json(finding));
  return {{"says", judgement.claim.says},
          {"measure", judgement.claim.measure},
          {"verdict", name_of(judgement.verdict)},
          {"findings", findings}};
}

/// Whether what tables and figures read by the same index has as many entries.
bool is_sound(const Trial& trial, const Trial& first) {
  const auto& record = trial.record;
  const auto has = [](std::size_t count, std::size_t expected) {
    return count == 0 || expected == 0 || count == expected;
  };
  return is_sound(record) && has(record.lengths.size(), first.record.lengths.size()) &&
         has(record.reliability.size(), first.record.reliability.size());
}

/// The largest value that errors can be computed with: fourth powers of the difference between two
/// of them stay finite.
constexpr double largest_value = 1e70;

/// \throws FormatError for a value that no error can be computed of
void expect_computable(const TrialRecord& record, const std::string& place) {
  const auto expect = [&](const std::string& measure, double value) {
    if (std::abs(value) > largest_value)
      throw FormatError(concat(place, ": ", measure, " is ", value,
                               ", too large to compute its error; remove this training run"));
  };
  for (const auto& [measure, value] : record.values) expect(measure, value);
  for (const auto& [measure, values] : record.jackknife)
    for (const double value : values) expect(measure, value);
}

/// \throws FormatError if a table or figure could not be made of it
void expect_sound(const ExperimentResult& result, const std::string& place) {
  for (const auto& trial : result.trials) {
    const auto of_trial = concat(place, ": ", result.experiment.name, ", ", trial.variant);
    if (!is_sound(trial, result.trials.front()))
      throw FormatError(of_trial + ": lists that belong together have different lengths");
    expect_computable(trial.record, of_trial);
  }
  try {
    for (const auto& claim : result.experiment.claims) measure_named(claim.measure);
    for (const auto& column : result.experiment.columns) measure_named(column);
    for (const auto& figure : result.experiment.figures)
      if (figure.kind == FigureKind::values || figure.kind == FigureKind::bars)
        measure_named(figure.measure);
  } catch (const OptionsError& error) {
    throw FormatError(concat(place, ": ", result.experiment.name, ": ", error.what()));
  }
}

/// Files without the key are from before the best weights were measured.
MeasuredWeights weights_of(const nlohmann::json& all, const std::string& place) {
  const auto found = all.find("weights");
  if (found == all.end()) return MeasuredWeights::last;
  if (nlohmann::json(found->get<MeasuredWeights>()) != *found)
    throw FormatError(concat(place, ": /weights: ", found->dump(),
                             " is neither \"last\" nor \"best\"; write one of them"));
  return found->get<MeasuredWeights>();
}

nlohmann::json result_json(const JudgedResult& result) {
  auto verdicts = nlohmann::json::array(), trials = nlohmann::json::array();
  for (const auto& judgement : result.judgements) verdicts.push_back(judgement_json(judgement));
  for (auto trial : result.trials) {
    trial.record = finite_part(std::move(trial.record));
    trials.push_back(trial);
  }
  nlohmann::json written = {{"name", result.experiment.name},
                            {"definition", result.experiment},
                            {"trials", trials},
                            {"verdicts", verdicts}};
  if (!result.practice.empty()) written["practice"] = result.practice;
  return written;
}

}  // namespace

nlohmann::json results_json(const std::vector<JudgedResult>& results, const ReportFacts& facts) {
  auto experiments = nlohmann::json::array();
  for (const auto& result : results) experiments.push_back(result_json(result));
  nlohmann::json all = {
      {"text", facts.text},
      {"machine", facts.machine},
      {"version", facts.version},
      {"weights", facts.weights},
      {"rules", facts.rules},
      {"text_record", facts.text_record},
      {"test_text_error", std::ranges::any_of(results, &ExperimentResult::has_replicates)},
      {"experiments", experiments}};
  shorten(all);
  return all;
}

KeptResults read_results(const std::filesystem::path& file) {
  const auto text = read_file(file);
  try {
    const auto all = nlohmann::json::parse(text);
    KeptResults kept{.results = {},
                     .facts = {.text = all.at("text"),
                               .machine = all.at("machine"),
                               .version = all.at("version"),
                               .weights = weights_of(all, file.string()),
                               .rules = all.value("rules", 1),
                               .text_record = all.value("text_record", nlohmann::json())}};
    for (const auto& each : all.at("experiments")) {
      ExperimentResult result{.experiment = each.at("definition"),
                              .trials = each.at("trials"),
                              .practice = each.value("practice", "")};
      result.experiment.name = each.at("name");
      for (auto& trial : result.trials) add_gradient_ratios(trial.record);
      expect_sound(result, file.string());
      kept.results.emplace_back(std::move(result));
    }
    return kept;
  } catch (const nlohmann::json::exception&) {
    throw FormatError(concat(file.string(),
                             ": holds no results of experiments; give a results.json that "
                             "'dragoman experiment' has written"));
  }
}

}  // namespace dragoman
