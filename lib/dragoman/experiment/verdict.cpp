#include "dragoman/experiment/verdict.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

/// Leaves the verdicts that may be relied on together.
void adjust_together(std::vector<Judgement>& judgements) {
  std::vector<Finding*> tested;
  for (auto& judgement : judgements)
    for (auto& finding : judgement.findings)
      if (finding.is_tested) tested.push_back(&finding);
  std::vector<double> probabilities;
  for (const auto* finding : tested) probabilities.push_back(finding->probability);
  probabilities = holm(std::move(probabilities));
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->probability = probabilities[i];
    if (probabilities[i] >= 0.05) tested[i]->verdict = Verdict::within_noise;
  }
}

Verdict verdict_of_all(const std::vector<Finding>& findings) {
  const auto any = [&](Verdict verdict) {
    return std::ranges::any_of(findings,
                               [&](const Finding& finding) { return finding.verdict == verdict; });
  };
  for (const auto verdict : {Verdict::not_confirmed, Verdict::not_measured, Verdict::within_noise})
    if (any(verdict)) return verdict;
  return Verdict::confirmed;
}

}  // namespace

std::string name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed: return "confirmed";
    case Verdict::not_confirmed: return "not confirmed";
    case Verdict::within_noise: return "within noise at this size";
    case Verdict::not_measured: break;
  }
  return "not measured";
}

std::vector<Judgement> judge(const ExperimentResult& result) {
  std::vector<Judgement> judgements;
  for (const auto& claim : result.experiment.claims) {
    auto& judgement = judgements.emplace_back(Judgement{.claim = claim});
    for (const auto& expected : claim.compare)
      judgement.findings.push_back(tested_difference(claim, expected, result));
  }
  adjust_together(judgements);
  for (auto& judgement : judgements) judgement.verdict = verdict_of_all(judgement.findings);
  return judgements;
}

}  // namespace dragoman
