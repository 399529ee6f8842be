#include "dragoman/metrics/score_line.h"

#include "dragoman/core/quantity.h"

namespace dragoman {

std::string interval_text(const std::optional<ConfidenceInterval>& interval, int digits) {
  if (!interval || !(interval->mean > 0.0)) return {};
  return "μ = " + decimal(interval->mean, digits) + " ± " + decimal(interval->half_width, digits);
}

std::string score_text(double score, const std::optional<ConfidenceInterval>& interval,
                       int digits) {
  const auto mean = interval_text(interval, digits);
  return decimal(score, digits) + (mean.empty() ? "" : " (" + mean + ")");
}

std::string score_line(const ScoreReport& report, int digits) {
  return report.name + "|" + report.signature + " = " +
         score_text(report.score, report.interval, digits) +
         (report.details.empty() ? "" : " " + report.details);
}

}  // namespace dragoman
