#include "dragoman/experiment/report_sentences.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/experiment/measures.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

namespace dragoman {

namespace {

std::string relation_of(const Claim& claim, const Expected& expected) {
  const std::string than = expected.than.empty() ? "" : "that of ";
  const auto margin = nlohmann::json(claim.margin).dump();  // all its digits
  const auto by = claim.margin > 0.0 ? concat(" by more than ", margin) : std::string();
  switch (expected.expect) {
    case Expectation::higher: return concat(" higher", by, " than ", than);
    case Expectation::lower: return concat(" lower", by, " than ", than);
    case Expectation::similar: break;
  }
  return concat(" within ", margin, " of ", than);
}

/// What a variant is compared with: another variant's name, or a number.
std::string other_of(const Expected& expected, const Measure& measure) {
  return expected.than.empty() ? decimal(expected.value, measure.digits)
                               : concat('"', expected.than, '"');
}

/// Of the threads of each training: ", 4 threads each". Empty if some training has not recorded it.
std::string threads_text(const std::set<std::int64_t>& threads) {
  if (threads.empty() || threads.contains(0)) return {};
  const auto least = *threads.begin(), most = *threads.rbegin();
  if (least == 1 && most == 1) return ", one thread each";
  return concat(", ", least == most ? std::string() : concat(least, " to "), most, " threads each");
}

/// Of diverged training runs: " (1 of 5 training runs of "b" diverged)". Empty if none has.
std::string divergence_text(const Finding& finding) {
  std::string text;
  const auto add = [&](const Divergence& runs, const std::string& variant) {
    if (runs.diverged > 0)
      text += concat(text.empty() ? " (" : ", ", runs.diverged, " of ", runs.trained,
                     " training runs of \"", variant, "\" diverged");
  };
  add(finding.of, finding.expected.of);
  add(finding.than, finding.expected.than);
  return text.empty() ? text : text + ')';
}

}  // namespace

std::string finding_text(const Claim& claim, const Finding& finding) {
  const auto& measure = measure_named(claim.measure);
  auto text = concat(measure.label, " of \"", finding.expected.of, '"',
                     relation_of(claim, finding.expected), other_of(finding.expected, measure));
  text += divergence_text(finding);
  if (!finding.is_tested) return concat(text, ", ", name_of(finding.verdict), ": ", finding.reason);
  text += ": ";
  if (finding.has_difference)
    text += concat(finding.difference < 0.0 ? "" : "+",
                   measured_number(finding.difference, measure.digits), " ± ",
                   measured_number(finding.half_width, measure.digits), ", ");
  return concat(text, "p ",
                finding.probability < 0.001 ? "< 0.001" : "= " + decimal(finding.probability, 3),
                ", ", name_of(finding.verdict));
}

std::string effort_text(const ExperimentResult& result) {
  std::size_t planned = 0;
  for (const auto& variant : result.experiment.variants)
    planned += result.experiment.seeds_of(variant).size();
  double seconds = 0.0;
  std::set<std::int64_t> threads;
  for (const auto& trial : result.trials) {
    if (trial.record.failure.empty()) threads.insert(trial.record.threads);
    const auto found = trial.record.values.find("train_seconds");
    if (found != trial.record.values.end()) seconds += found->second;
  }
  return concat(result.trials.size(), " of ", planned, " training runs, ",
                decimal(seconds / 60.0, 0), " min of training", threads_text(threads));
}

std::string shared_text(const ExperimentResult& result, const std::vector<JudgedResult>& all) {
  std::string text;
  for (const auto& variant : result.experiment.variants) {
    std::set<std::string> others;
    for (const auto& other : all)
      for (const auto& trial : other.trials)
        for (const auto* own : result.of_variant(variant.name))
          if (own->run == trial.run && other.experiment.name != result.experiment.name)
            others.insert(concat('"', trial.variant, "\" of ", other.experiment.name));
    for (const auto& other : others)
      text += concat(text.empty() ? " The same training runs: \"" : "; \"", variant.name, "\" and ",
                     other);
  }
  return text.empty() ? text : text + '.';
}

std::string versions_text(const std::vector<JudgedResult>& results) {
  std::set<std::string> all, unrecorded;  // runs, which several tables may share
  for (const auto& result : results)
    for (const auto& trial : result.trials) {
      if (!trial.record.failure.empty()) continue;
      all.insert(trial.run);
      if (trial.record.version.empty()) unrecorded.insert(trial.run);
    }
  if (unrecorded.empty()) return {};
  return concat(" The program's version is not recorded for ", unrecorded.size(), " of the ",
                counted(std::ssize(all), "training run"), ".");
}

std::string rule_text(const std::vector<JudgedResult>& results, const ReportFacts& facts) {
  const bool has_text_error = std::ranges::any_of(results, &ExperimentResult::has_replicates);
  std::string text =
      "Verdicts follow a fixed rule. A claim expects differences between "
      "variants. The standard error of a difference of two means combines the standard deviations "
      "over seeds of both (Welch's t)";
  text +=
      has_text_error
          ? " and the contribution of the choice of test lines (jackknife over 20 groups of lines, "
            "for measures of the test text: BLEU, chrF, loss by length; for exact answers at least "
            "that of Agresti and Coull, whose estimates, with two right and two wrong lines more, "
            "are compared), where that increases it"
          : ", for exact answers also that of the number of lines (Agresti and Coull, whose "
            "estimates, with two right and two wrong lines more, are compared), where that "
            "makes it less sure. The "
            "choice of test lines was not measured for BLEU, chrF and loss by length: their "
            "verdicts hold for these test texts only";
  text +=
      "; ± gives the 95 % interval of that difference by itself. Losses on held-out text, "
      "calibration and the gap to the "
      "training text hold for that text only. The p-value of the side of 0, or of the claim's "
      "margin, on which a difference lies is adjusted for the number of differences in the table "
      "(Holm): p. Below 0.05 the difference is confirmed, or not confirmed if it lies on "
      "the other side than claimed, else within noise. A claim is confirmed if all its differences "
      "are, not confirmed if one is not. Where training runs diverged, their numbers are compared "
      "(Fisher's exact test): what diverges more often is worse; of costs and of other measures "
      "that are neither better nor worse, such as the gap, those that finished are compared. With "
      "fewer than two training runs there is no verdict, nor is there one on times from several "
      "machines. ";
  text +=
      facts.weights == MeasuredWeights::best
          ? "The best weights by train.early_stopping_metric on held-out text were measured; for "
            "losses on training "
            "text, the gap, gradients and saturation those of the last update. "
          : "The weights of the last update were measured. ";
  return text + "All results hold for models and texts of this size only.";
}

}  // namespace dragoman
