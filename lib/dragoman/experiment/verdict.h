#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/results.h"

#include <string>
#include <vector>

namespace dragoman {

/// The outcome of a claim in an experiment.
enum class Verdict { confirmed, not_confirmed, within_noise, not_measured };

/// "confirmed", "not confirmed", "within noise at this size", "not measured"
std::string name_of(Verdict verdict);

/// One difference that a claim expects, and the measured one.
struct Finding {
  Expected expected;
  bool has_difference = false;  ///< both were trained, with two seeds at least
  double difference = 0.0;      ///< mean of `of` minus mean of `than`, or minus the number
  double noise = 0.0;           ///< half width of its own 95 % interval
  double probability = 1.0;     ///< of erring with the verdict that the difference suggests,
                                ///< adjusted for the number of differences in the table
  Verdict verdict = Verdict::not_measured;
};

struct Judgement {
  Claim claim;
  Verdict verdict = Verdict::not_measured;
  std::vector<Finding> findings = {};
};

/// The rule, for all claims of a table.
///
/// The difference d of two means has the squared standard error s_1^2 / n + s_2^2 / m + e^2: the
/// spreads over seeds of the two variants (Welch), and the share of the choice of test lines (the
/// jackknife of the difference), where the measure is one of the test text. With a number, which
/// has no noise of its own, only the first variant's counts.
///
/// "Higher" holds if d exceeds the claim's margin, "lower" if -d does, "similar" if |d| does not.
/// The t test of the side on which d lies gives a two-sided probability of error (for "similar",
/// that of the two one-sided tests). Those of a table are adjusted by Holm's method. Below 0.05 the
/// difference is confirmed, or not confirmed if it lies on the other side; else it is within noise.
/// A variant whose loss was not finite counts as the worst of all; one with fewer than two
/// trainings leaves the difference unmeasured.
///
/// A claim is confirmed if all of its differences are, not confirmed if one is not, else within
/// noise.
/// \return one for each claim, in their order
std::vector<Judgement> judge(const ExperimentResult& result);

}  // namespace dragoman
