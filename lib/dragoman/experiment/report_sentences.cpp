#include "dragoman/experiment/report_sentences.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

namespace dragoman {

std::string effort_text(const ExperimentResult& result) {
  std::size_t planned = 0;
  for (const auto& variant : result.experiment.variants)
    planned += result.experiment.seeds_of(variant).size();
  double seconds = 0.0;
  for (const auto& trial : result.trials) {
    const auto found = trial.record.values.find("train_seconds");
    if (found != trial.record.values.end()) seconds += found->second;
  }
  return concat(result.trials.size(), " of ", planned, " training runs, ",
                decimal(seconds / 60.0, 0), " min of training, one thread each");
}

std::string shared_text(const ExperimentResult& result, const std::vector<ExperimentResult>& all) {
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

std::string versions_text(const std::vector<ExperimentResult>& results) {
  std::int64_t all = 0, unrecorded = 0;
  for (const auto& result : results)
    for (const auto& trial : result.trials) {
      ++all;
      if (trial.record.version.empty()) ++unrecorded;
    }
  if (unrecorded == 0) return {};
  return concat(" The program's version is not recorded for ", unrecorded, " of the ",
                counted(all, "training run"), ".");
}

std::string rule_text(const std::vector<ExperimentResult>& results, const ReportFacts& facts) {
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
