#pragma once

#include "dragoman/experiment/results.h"
#include "dragoman/experiment/verdict.h"

#include <string>
#include <vector>

namespace dragoman {

/// "BLEU of "4 heads" higher than that of "1 head": +1.20 ± 0.66, p = 0.003, confirmed"
std::string finding_text(const Claim& claim, const Finding& finding);

/// "18 of 20 training runs, 14 min of training, one thread each", as far as their threads are known
std::string effort_text(const ExperimentResult& result);

/// Which training runs other experiments have, too: " The same training runs: "full" and "4 heads"
/// of heads." Empty if none has.
std::string shared_text(const ExperimentResult& result, const std::vector<JudgedResult>& all);

/// How many training runs, of those that did not diverge, do not say which version of the program
/// did them: " The program's version is not recorded for 250 of the 375 training runs." Empty if
/// all do.
std::string versions_text(const std::vector<JudgedResult>& results);

/// A human-readable explanation of how verdicts are determined, as these results were measured.
std::string rule_text(const std::vector<JudgedResult>& results, const ReportFacts& facts);

}  // namespace dragoman
