#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/results.h"

#include <string>

namespace dragoman {

/// The outcome of a claim in an experiment.
enum class Verdict { confirmed, not_confirmed, within_noise, not_measured };

/// One difference that a claim expects, and the measured one.
struct Finding {
  Expected expected;
  Divergence of = {}, than = {};  ///< diverged training runs of the two variants
  bool is_tested = false;         ///< has a p-value; else `reason` says why not
  bool has_difference = false;    ///< of finished training runs; else their divergence was tested
  double difference = 0.0;        ///< mean of `of` minus mean of `than`, or minus the number;
                                  ///< of shares of lines, of their estimates
  double half_width = 0.0;        ///< of its own 95 % confidence interval
  double probability = 1.0;       ///< p-value of the side on which the difference lies, two-sided
  Verdict verdict = Verdict::not_measured;
  std::string reason = {};  ///< human-readable: why there is no verdict
};

/// Tests one difference by itself, by the rule at `judge`. Its verdict is the one that the
/// difference suggests, however probable an error is.
Finding tested_difference(const Claim& claim, const Expected& expected,
                          const ExperimentResult& result);

}  // namespace dragoman
