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
  bool has_difference = false;  ///< both were trained
  double difference = 0.0;      ///< mean of `of` minus mean of `than`, or minus the number
  double noise = 0.0;           ///< half width of its 95 % interval
  Verdict verdict = Verdict::not_measured;
};

struct Judgement {
  Claim claim;
  Verdict verdict = Verdict::not_measured;
  std::vector<Finding> findings = {};
};

/// The rule. The difference d of two means has the 95 % interval d +- h with h = t s sqrt(1/n +
/// 1/m): s is the spread over seeds pooled over all variants of the table, t Student's for its
/// degrees of freedom. "Higher" is confirmed if the whole interval is above 0, not confirmed if it
/// is below; "lower" the other way round; "similar" is confirmed if the interval is within the
/// claim's margin on both sides, not confirmed if it is outside. Else the difference is within
/// noise. A variant whose loss was not finite counts as the worst of all; one that has not been
/// trained, or a table without a second seed, leaves the claim unmeasured. A number that a claim
/// names has no noise of its own: h = t s sqrt(1/n).
///
/// A claim is confirmed if all of its differences are, not confirmed if one is not, else within
/// noise.
Judgement judge(const Claim& claim, const ExperimentResult& result);

}  // namespace dragoman
