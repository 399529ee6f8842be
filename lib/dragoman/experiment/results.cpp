#include "dragoman/experiment/results.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/experiment/verdict.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

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

nlohmann::json judgement_json(const Judgement& judgement) {
  auto findings = nlohmann::json::array();
  for (const auto& finding : judgement.findings)
    findings.push_back({{"expected", finding.expected},
                        {"difference", finding.difference},
                        {"noise", finding.noise},
                        {"probability", finding.probability},
                        {"verdict", name_of(finding.verdict)}});
  return {{"says", judgement.claim.says},
          {"measure", judgement.claim.measure},
          {"verdict", name_of(judgement.verdict)},
          {"findings", findings}};
}

}  // namespace

std::vector<const Trial*> ExperimentResult::of_variant(const std::string& variant) const {
  std::vector<const Trial*> found;
  for (const auto& trial : trials)
    if (trial.variant == variant && trial.record.failure.empty()) found.push_back(&trial);
  return found;
}

bool ExperimentResult::has_failed(const std::string& variant) const {
  for (const auto& trial : trials)
    if (trial.variant == variant && !trial.record.failure.empty()) return true;
  return false;
}

Sample ExperimentResult::sample(const std::string& variant, const std::string& measure) const {
  std::vector<double> values;
  for (const auto* trial : of_variant(variant)) {
    const auto found = trial->record.values.find(measure);
    if (found != trial->record.values.end() && std::isfinite(found->second))
      values.push_back(found->second);
  }
  return sample_of(values);
}

std::vector<double> ExperimentResult::left_out(const std::string& variant,
                                               const std::string& measure) const {
  const auto finished = of_variant(variant);
  std::vector<double> means(jackknife_groups, 0.0);
  for (const auto* trial : finished) {
    const auto found = trial->record.left_out.find(measure);
    if (found == trial->record.left_out.end() || found->second.size() != means.size()) return {};
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] += found->second[i] / static_cast<double>(finished.size());
  }
  return finished.empty() ? std::vector<double>() : means;
}

nlohmann::json results_json(const std::vector<ExperimentResult>& results,
                            const ReportFacts& facts) {
  auto experiments = nlohmann::json::array();
  for (const auto& result : results) {
    auto verdicts = nlohmann::json::array();
    for (const auto& judgement : judge(result)) verdicts.push_back(judgement_json(judgement));
    experiments.push_back({{"name", result.experiment.name},
                           {"definition", result.experiment},
                           {"trials", result.trials},
                           {"verdicts", verdicts}});
  }
  nlohmann::json all = {{"text", facts.text},
                        {"machine", facts.machine},
                        {"version", facts.version},
                        {"experiments", experiments}};
  shorten(all);
  return all;
}

KeptResults read_results(const std::filesystem::path& file) {
  const auto text = read_file(file);
  try {
    const auto all = nlohmann::json::parse(text);
    KeptResults kept{
        .results = {},
        .facts = {
            .text = all.at("text"), .machine = all.at("machine"), .version = all.at("version")}};
    for (const auto& each : all.at("experiments")) {
      ExperimentResult result{.experiment = each.at("definition"), .trials = each.at("trials")};
      result.experiment.name = each.at("name");
      kept.results.push_back(std::move(result));
    }
    return kept;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(concat(file.string(), ": holds no results of experiments (", error.what(),
                             "); give a results.json that 'dragoman experiment' has written"));
  }
}

}  // namespace dragoman
