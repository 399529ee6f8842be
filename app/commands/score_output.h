#pragma once

#include "dragoman/metrics/scoring.h"

#include <ostream>
#include <string>
#include <vector>

namespace dragoman::app {

/// How scores are shown.
struct ScoreOutput {
  int digits = 2;  ///< after the point, in text
  bool json = false;
};

/// Writes one line per metric as sacreBLEU does, and one each for the comparison; or one JSON
/// object, metric to sacreBLEU's fields, with scores in full precision.
/// \param baseline name of what was compared with; empty if nothing was
void write_scores(std::ostream& out, const std::vector<MetricResult>& results,
                  const std::string& baseline, const ScoreOutput& output);

}  // namespace dragoman::app
