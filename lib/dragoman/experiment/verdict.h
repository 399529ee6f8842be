#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/finding.h"
#include "dragoman/experiment/results.h"

#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// "confirmed", "not confirmed", "within noise at this size", "not measured"
std::string name_of(Verdict verdict);

/// A claim with what was found.
struct Judgement {
  Claim claim;
  Verdict verdict = Verdict::not_measured;
  std::vector<Finding> findings = {};
};

/// The rule, for all claims of a table.
///
/// The difference d of two means has the squared standard error s_1^2 / n + s_2^2 / m + e^2: the
/// standard deviations over seeds of the two variants (Welch), and the share of the choice of test
/// lines (the jackknife of the difference; for shares of lines at least Agresti's and Coull's, and
/// what is tested is the difference of their estimates), where the measure is one of the test text.
/// With a number, which has no error of its own, only the first variant's counts. Of the tests with
/// and without e^2 the less sure one counts, as e^2 may bring more degrees of freedom than the
/// seeds have. A measure with no error at all is certain if it is a count, else nothing is known.
///
/// "Higher" holds if d exceeds the claim's margin, "lower" if -d does, "similar" if |d| does not.
/// The t test of the side on which d lies gives a two-sided p-value (for "similar",
/// that of the two one-sided tests). Those of a table are adjusted by Holm's method. Below 0.05 the
/// difference is confirmed, or not confirmed if it lies on the other side; else it is within noise.
///
/// If training runs of either variant diverged, their shares are compared instead (Fisher's exact
/// test), and a variant that diverges more often counts as worse; of measures of which neither
/// value is better, the finished training runs are compared. With fewer than two training runs,
/// training runs of which some were measured without the test text's error, or times of several or
/// unknown machines, a difference is unmeasured.
///
/// A claim is confirmed if all of its differences are, not confirmed if one is not, else not
/// measured if one is not, else within noise.
/// \return one for each claim, in their order
std::vector<Judgement> judge(const ExperimentResult& result);

/// A result with the judgements of its claims, as reports show it.
struct JudgedResult : ExperimentResult {
  // NOLINTNEXTLINE(google-explicit-constructor)
  JudgedResult(ExperimentResult result)
      : ExperimentResult(std::move(result)), judgements(judge(*this)) {}

  std::vector<Judgement> judgements;  ///< one for each claim, in their order
};

}  // namespace dragoman
