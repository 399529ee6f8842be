#pragma once

#include "dragoman/experiment/results.h"
#include "dragoman/experiment/verdict.h"

#include <string>
#include <vector>

namespace dragoman {

/// The report as one HTML page that needs no network and no script: verdicts, tables and plots, for
/// light and dark screens. No text in it can become markup.
std::string report_page(const std::vector<JudgedResult>& results, const ReportFacts& facts);

}  // namespace dragoman
