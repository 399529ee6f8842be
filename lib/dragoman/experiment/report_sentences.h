#pragma once

#include "dragoman/experiment/results.h"

#include <string>
#include <vector>

namespace dragoman {

/// "18 of 20 training runs, 14 min of training, one thread each"
std::string effort_text(const ExperimentResult& result);

/// Which training runs other experiments have, too: " The same training runs: "full" and "4 heads"
/// of heads." Empty if none has.
std::string shared_text(const ExperimentResult& result, const std::vector<ExperimentResult>& all);

/// How many training runs of the tables do not say which version of the program did them: " The
/// program's version is not recorded for 270 of the 410 training runs." Empty if all do.
std::string versions_text(const std::vector<ExperimentResult>& results);

/// A human-readable explanation of how verdicts are determined, as these results were measured.
std::string rule_text(const std::vector<ExperimentResult>& results, const ReportFacts& facts);

}  // namespace dragoman
