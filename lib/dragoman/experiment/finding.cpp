#include "dragoman/experiment/finding.h"

#include "dragoman/core/concat.h"
#include "dragoman/experiment/measures.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

Finding not_measured(Finding finding, std::string reason) {
  finding.reason = std::move(reason);
  return finding;
}

/// Diverged training runs have no value: whether the variants differ in their number is tested
/// instead.
Finding test_divergence(Finding finding, Better better) {
  if (finding.expected.than.empty())
    return not_measured(std::move(finding), "what diverged has no value to compare with a number");
  if (finding.of.trained < 2 || finding.than.trained < 2)
    return not_measured(std::move(finding), "fewer than two training runs");
  finding.is_tested = true;
  finding.probability = fisher_exact(finding.of, finding.than);
  const bool first_is_worse =
      finding.of.diverged * finding.than.trained > finding.than.diverged * finding.of.trained;
  const bool first_is_higher = first_is_worse == (better == Better::lower);
  const bool holds = finding.expected.expect != Expectation::similar &&
                     first_is_higher == (finding.expected.expect == Expectation::higher);
  finding.verdict = holds ? Verdict::confirmed : Verdict::not_confirmed;
  return finding;
}

/// The error of a difference of shares of lines, which is at least the binomial distribution's.
ErrorPart at_least_binomial(const ErrorPart& jackknife, const ExperimentResult& result,
                            const Expected& expected, const std::string& measure) {
  std::vector<ErrorPart> parts;
  for (const auto& variant : {expected.of, expected.than})
    if (const auto lines = variant.empty() ? 0 : result.lines_of(variant, measure); lines > 0)
      parts.push_back(share_error(result.sample(variant, measure).mean, lines));
  const auto binomial = sum_of(parts);
  return jackknife.variance > binomial.variance ? jackknife : binomial;
}

/// The difference that is tested and reported: of shares of lines, that of their estimates.
double tested_value(const ExperimentResult& result, const Expected& expected,
                    const Measure& measure, double difference) {
  if (measure.error != ErrorSource::share) return difference;
  const std::string name(measure.name);
  for (const auto& [variant, sign] : {std::pair(expected.of, 1.0), {expected.than, -1.0}})
    if (const auto lines = variant.empty() ? 0 : result.lines_of(variant, name); lines > 0) {
      const double share = result.sample(variant, name).mean;
      difference += sign * (estimated_share(share, lines) - share);
    }
  return difference;
}

/// The share of the choice of test lines in the error of a difference; or why it is unknown.
struct TextError {
  ErrorPart part = {};
  std::string unknown = {};
};

TextError error_of_text(const ExperimentResult& result, const Expected& expected,
                        const Measure& measure) {
  using enum Replicates::State;
  const std::string name(measure.name);
  auto first = result.replicates(expected.of, name);
  const auto second = expected.than.empty() ? Replicates{.state = first.state}
                                            : result.replicates(expected.than, name);
  const auto either = [&](Replicates::State state) {
    return first.state == state || second.state == state;
  };
  if (either(of_some) || (either(none) && first.state != second.state))
    return {.unknown =
                "some training runs were measured without the test text's error; give -o a new "
                "folder to measure all alike"};
  if (either(few_lines) && measure.error == ErrorSource::test_text)
    return {.unknown = concat("fewer than ", jackknife_groups, " test lines")};
  TextError error;
  if (first.state == of_all && second.state == of_all) {
    for (std::size_t i = 0; i < second.means.size(); ++i) first.means[i] -= second.means[i];
    error.part = jackknife_error(first.means);
  }
  if (measure.error == ErrorSource::share)
    error.part = at_least_binomial(error.part, result, expected, name);
  return error;
}

/// P(t > value / error); without an error, whether the value is above 0.
double tail(double value, const ErrorPart& error) {
  if (error.variance > 0.0)
    return student_t_tail(value / std::sqrt(error.variance), error.degrees_of_freedom);
  return value > 0.0 ? 0.0 : 1.0;
}

/// What a test of a difference `d` says.
struct TestOutcome {
  Verdict suggested = Verdict::not_measured;
  double probability = 1.0;  ///< that the suggestion errs
  double half_width = 0.0;   ///< of the 95 % confidence interval; 0 without an error
};

TestOutcome test_difference(double d, Expectation expectation, double margin,
                            const ErrorPart& error) {
  double holds = 0.0, fails = 0.0;
  if (expectation == Expectation::similar) {
    const double inside = margin - std::abs(d);
    // A difference of exactly the margin is within it.
    holds = error.variance > 0.0 ? std::max(tail(margin - d, error), tail(margin + d, error))
                                 : (inside >= 0.0 ? 0.0 : 1.0);
    fails = tail(-inside, error);
  } else {
    const double beyond = (expectation == Expectation::higher ? d : -d) - margin;
    holds = tail(beyond, error);
    // Without an error, a difference of zero refutes the claim.
    fails = error.variance > 0.0 ? tail(-beyond, error) : 1.0 - holds;
  }
  return {.suggested = holds < fails ? Verdict::confirmed : Verdict::not_confirmed,
          .probability = std::min(1.0, 2.0 * std::min(holds, fails)),
          .half_width = error.variance > 0.0
                            ? student_t(error.degrees_of_freedom) * std::sqrt(error.variance)
                            : 0.0};
}

/// The outcome with the whole error, but no surer than with that of the seeds alone: two seeds that
/// happen to be close leave few degrees of freedom, and the error of the text, which has more of
/// them, is not to make a difference surer.
TestOutcome no_surer(TestOutcome of_all, const TestOutcome& of_seeds) {
  if (of_seeds.half_width > 0.0)
    of_all.probability = std::max(of_all.probability, of_seeds.probability);
  of_all.half_width = std::max(of_all.half_width, of_seeds.half_width);
  return of_all;
}

/// Whether the times of the variants were taken on machines of one description, which is known.
bool on_one_machine(const ExperimentResult& result, const Expected& expected) {
  std::set<std::string> devices;
  for (const auto& variant : {expected.of, expected.than})
    for (const auto* trial : result.of_variant(variant)) devices.insert(trial->record.device);
  return devices.size() == 1 && !devices.contains("") && !devices.contains("cpu");
}

}  // namespace

Finding tested_difference(const Claim& claim, const Expected& expected,
                          const ExperimentResult& result) {
  const auto& measure = measure_named(claim.measure);
  Finding finding{.expected = expected, .of = result.divergence(expected.of)};
  if (!expected.than.empty()) finding.than = result.divergence(expected.than);
  const bool diverged = finding.of.diverged + finding.than.diverged > 0;
  if (diverged && measure.better != Better::neither)
    return test_divergence(std::move(finding), measure.better);

  if (measure.error == ErrorSource::timing && !on_one_machine(result, expected))
    return not_measured(std::move(finding),
                        "timed on several machines, or unknown ones; without measures.json, a "
                        "training run is timed again");
  const auto first = result.sample(expected.of, claim.measure);
  const auto second = expected.than.empty() ? Sample{.count = 2, .mean = expected.value}
                                            : result.sample(expected.than, claim.measure);
  if (first.count < 2 || second.count < 2)
    return not_measured(std::move(finding), "fewer than two training runs with a value");
  TextError text;
  if (measure.error == ErrorSource::test_text || measure.error == ErrorSource::share)
    text = error_of_text(result, expected, measure);
  if (!text.unknown.empty()) return not_measured(std::move(finding), std::move(text.unknown));
  std::vector<ErrorPart> parts = {error_of_mean(first)};
  if (!expected.than.empty()) parts.push_back(error_of_mean(second));
  const auto of_seeds = sum_of(parts);
  parts.push_back(text.part);
  const auto error = sum_of(parts);
  finding.is_tested = finding.has_difference = true;
  finding.difference = tested_value(result, expected, measure, first.mean - second.mean);
  const auto tested = [&](const ErrorPart& of) {
    return test_difference(finding.difference, expected.expect, claim.margin, of);
  };
  const auto outcome = no_surer(tested(error), tested(of_seeds));
  finding.verdict = outcome.suggested;
  finding.half_width = outcome.half_width;
  finding.probability = outcome.probability;
  // Equal values of a few seeds do not show that all seeds would give them, but for counts.
  const bool is_unknown =
      measure.error == ErrorSource::test_text ? of_seeds.variance == 0.0 : error.variance == 0.0;
  if (is_unknown && measure.error != ErrorSource::nothing) finding.probability = 1.0;
  return finding;
}

}  // namespace dragoman
