#pragma once

#include "dragoman/experiment/results.h"
#include "dragoman/experiment/verdict.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <vector>

namespace dragoman {

/// All measurements and verdicts as JSON. Numbers have nine digits; those that are not finite are
/// left out.
nlohmann::json results_json(const std::vector<JudgedResult>& results, const ReportFacts& facts);

/// What a results.json holds.
struct KeptResults {
  std::vector<JudgedResult> results;
  ReportFacts facts;
};

/// The inverse of `results_json`; verdicts are not read but judged again.
/// \throws DataError if the file cannot be read, FormatError if it holds no results
KeptResults read_results(const std::filesystem::path& file);

}  // namespace dragoman
