#include "dragoman/experiment/verdict.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dragoman {

namespace {

/// Whether lower is better for a measure; neutral measures count as such too.
bool less_is_better(const std::string& measure) {
  return !measure.starts_with("bleu") && !measure.starts_with("answers") && measure != "chrf" &&
         measure != "valid_accuracy" && measure != "sentences_per_cpu_second";
}

/// The verdict if one of the two could not be trained: it is worse than any that could.
Verdict judge_failure(const Expected& expected, bool first_failed, bool second_failed,
                      const std::string& measure) {
  if (first_failed && second_failed) return Verdict::within_noise;
  if (expected.expect == Expectation::similar) return Verdict::not_confirmed;
  const bool first_is_higher = first_failed == less_is_better(measure);
  return first_is_higher == (expected.expect == Expectation::higher) ? Verdict::confirmed
                                                                     : Verdict::not_confirmed;
}

/// The squared standard error of a difference of means.
ErrorPart error_of(const ExperimentResult& result, const Expected& expected,
                   const std::string& measure) {
  std::vector<ErrorPart> parts = {error_of_mean(result.sample(expected.of, measure))};
  auto left_out = result.left_out(expected.of, measure);
  if (!expected.than.empty()) {
    parts.push_back(error_of_mean(result.sample(expected.than, measure)));
    const auto others = result.left_out(expected.than, measure);
    if (others.size() != left_out.size()) left_out.clear();
    for (std::size_t i = 0; i < left_out.size(); ++i) left_out[i] -= others[i];
  }
  if (!left_out.empty()) parts.push_back(jackknife_error(left_out));
  return sum_of(parts);
}

/// P(t > value / error), for a difference without noise too.
double tail(double value, const ErrorPart& error) {
  if (error.variance > 0.0) return student_t_tail(value / std::sqrt(error.variance), error.freedom);
  return value > 0.0 ? 0.0 : 1.0;
}

/// Suggests a verdict and sets the probability that it errs.
void test_difference(Finding& finding, double margin, const ErrorPart& error) {
  const double d = finding.difference;
  double holds = 0.0, fails = 0.0;
  if (finding.expected.expect == Expectation::similar) {
    const double inside = margin - std::abs(d);
    // A difference of exactly the margin is within it.
    holds = error.variance > 0.0 ? std::max(tail(margin - d, error), tail(margin + d, error))
                                 : (inside >= 0.0 ? 0.0 : 1.0);
    fails = tail(-inside, error);
  } else {
    const double beyond = (finding.expected.expect == Expectation::higher ? d : -d) - margin;
    holds = tail(beyond, error);
    // Without noise, as for counts, a difference of zero refutes the claim.
    fails = error.variance > 0.0 ? tail(-beyond, error) : 1.0 - holds;
  }
  finding.verdict = holds < fails ? Verdict::confirmed : Verdict::not_confirmed;
  finding.probability = std::min(1.0, 2.0 * std::min(holds, fails));
}

Finding find(const Claim& claim, const Expected& expected, const ExperimentResult& result) {
  Finding finding{.expected = expected};
  const bool first_failed = result.has_failed(expected.of);
  const bool second_failed = result.has_failed(expected.than);
  if (first_failed || second_failed) {
    finding.verdict = judge_failure(expected, first_failed, second_failed, claim.measure);
    return finding;
  }
  const auto first = result.sample(expected.of, claim.measure);
  const auto second = expected.than.empty() ? Sample{.count = 2, .mean = expected.value}
                                            : result.sample(expected.than, claim.measure);
  if (first.count < 2 || second.count < 2) return finding;
  finding.has_difference = true;
  finding.difference = first.mean - second.mean;
  const auto error = error_of(result, expected, claim.measure);
  if (error.variance > 0.0) finding.noise = student_t(error.freedom) * std::sqrt(error.variance);
  test_difference(finding, claim.margin, error);
  return finding;
}

/// Leaves the verdicts that may be relied on together.
void adjust_together(std::vector<Judgement>& judgements) {
  std::vector<Finding*> tested;
  for (auto& judgement : judgements)
    for (auto& finding : judgement.findings)
      if (finding.has_difference) tested.push_back(&finding);
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
      judgement.findings.push_back(find(claim, expected, result));
  }
  adjust_together(judgements);
  for (auto& judgement : judgements) judgement.verdict = verdict_of_all(judgement.findings);
  return judgements;
}

}  // namespace dragoman
