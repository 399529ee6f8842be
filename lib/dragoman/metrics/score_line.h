#pragma once

#include "dragoman/metrics/significance.h"

#include <optional>
#include <string>

namespace dragoman {

/// The parts of one score line.
struct ScoreReport {
  std::string name;       ///< "BLEU"
  std::string signature;  ///< from `Signature::text`
  double score = 0.0;
  std::optional<ConfidenceInterval> interval = {};
  std::string details;  ///< from `Metric::details`; may be empty
};

/// "μ = 45.2 ± 1.1", or empty if the mean is not above 0.
std::string interval_text(const std::optional<ConfidenceInterval>& interval, int digits);

/// "45.3 (μ = 45.2 ± 1.1)", or without an interval "45.3".
std::string score_text(double score, const std::optional<ConfidenceInterval>& interval, int digits);

/// The line sacreBLEU prints: `BLEU|nrefs:1|...|version:2.6.0 = 45.3 (μ = 45.2 ± 1.1) 77.1/...`
/// \param digits decimals of score and interval
std::string score_line(const ScoreReport& report, int digits);

}  // namespace dragoman
