#include "dragoman/experiment/verdict.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

namespace {

PooledSpread table_spread(const ExperimentResult& result, const std::string& measure) {
  std::vector<Sample> samples;
  for (const auto& variant : result.experiment.variants)
    samples.push_back(result.sample(variant.name, measure));
  return pooled_spread(samples);
}

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

Verdict judge_interval(Expectation expect, double difference, double noise, double margin) {
  if (expect == Expectation::similar) {
    if (std::abs(difference) + noise <= margin) return Verdict::confirmed;
    return std::abs(difference) - noise > margin ? Verdict::not_confirmed : Verdict::within_noise;
  }
  const double expected = expect == Expectation::higher ? difference : -difference;
  if (expected - noise > 0.0) return Verdict::confirmed;
  // Without noise, as for counts, a difference of zero refutes the claim.
  const bool refuted = expected + noise < 0.0 || (noise == 0.0 && expected == 0.0);
  return refuted ? Verdict::not_confirmed : Verdict::within_noise;
}

Finding find(const Claim& claim, const Expected& expected, const ExperimentResult& result) {
  Finding finding{.expected = expected};
  const bool first_failed = result.has_failed(expected.of);
  const bool second_failed = result.has_failed(expected.than);
  if (first_failed || second_failed) {
    finding.verdict = judge_failure(expected, first_failed, second_failed, claim.measure);
    return finding;
  }
  const bool with_number = expected.than.empty();
  const auto first = result.sample(expected.of, claim.measure);
  const auto second = with_number ? Sample{.count = 1, .mean = expected.value}
                                  : result.sample(expected.than, claim.measure);
  const auto pooled = table_spread(result, claim.measure);
  if (first.count == 0 || second.count == 0 || pooled.freedom == 0) return finding;
  finding.has_difference = true;
  finding.difference = first.mean - second.mean;
  const double own = 1.0 / static_cast<double>(first.count);
  const double other = with_number ? 0.0 : 1.0 / static_cast<double>(second.count);
  finding.noise = student_t(pooled.freedom) * pooled.spread * std::sqrt(own + other);
  finding.verdict =
      judge_interval(expected.expect, finding.difference, finding.noise, claim.margin);
  return finding;
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

Judgement judge(const Claim& claim, const ExperimentResult& result) {
  Judgement judgement{.claim = claim};
  for (const auto& expected : claim.compare)
    judgement.findings.push_back(find(claim, expected, result));
  const auto any = [&](Verdict verdict) {
    return std::any_of(judgement.findings.begin(), judgement.findings.end(),
                       [&](const Finding& finding) { return finding.verdict == verdict; });
  };
  judgement.verdict = Verdict::confirmed;
  for (const auto verdict : {Verdict::not_confirmed, Verdict::not_measured, Verdict::within_noise})
    if (any(verdict)) {
      judgement.verdict = verdict;
      break;
    }
  return judgement;
}

}  // namespace dragoman
