#pragma once

#include "dragoman/experiment/results.h"
#include "dragoman/experiment/verdict.h"

#include <filesystem>
#include <vector>

namespace dragoman {

inline constexpr const char* results_file = "results.json";
inline constexpr const char* report_file = "report.html";

/// Writes results.json, REPORT.md and report.html into `folder`, which is created if missing.
/// \throws DataError if they cannot be written
void write_report(const std::filesystem::path& folder, const std::vector<JudgedResult>& results,
                  const ReportFacts& facts);

}  // namespace dragoman
