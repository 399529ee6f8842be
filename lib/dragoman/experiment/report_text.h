#pragma once

#include "dragoman/experiment/results.h"
#include "dragoman/experiment/verdict.h"

#include <string>
#include <vector>

namespace dragoman {

/// The report as Markdown: the verdicts of all claims, then each experiment with its tables and the
/// basis of its verdicts.
std::string report_markdown(const std::vector<JudgedResult>& results, const ReportFacts& facts);

}  // namespace dragoman
