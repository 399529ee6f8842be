#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/statistics.h"
#include "dragoman/experiment/trial_record.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// One training of an experiment.
struct Trial {
  std::string variant;
  std::int64_t seed = 0;
  std::string run;  ///< name of its folder
  TrialRecord record;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Trial, variant, seed, run, record)

/// An experiment and its finished trainings.
struct ExperimentResult {
  Experiment experiment;
  std::vector<Trial> trials;

  /// The finished trials of a variant, without failed ones.
  std::vector<const Trial*> of_variant(const std::string& variant) const;
  bool has_failed(const std::string& variant) const;
  /// A measure over the seeds of a variant.
  Sample sample(const std::string& variant, const std::string& measure) const;
  /// The mean over the seeds of a variant of a measure without each group of test lines; empty if
  /// it is not one of the test text.
  std::vector<double> left_out(const std::string& variant, const std::string& measure) const;
};

/// Facts for the report: on which machine and text everything was measured.
struct ReportFacts {
  std::string text;  ///< names of the text files
  std::string machine;
  std::string version;  ///< of the program
};

/// All measurements and verdicts as JSON. Numbers have nine digits.
nlohmann::json results_json(const std::vector<ExperimentResult>& results, const ReportFacts& facts);

/// What a results.json holds.
struct KeptResults {
  std::vector<ExperimentResult> results;
  ReportFacts facts;
};

/// The inverse of `results_json`; verdicts are not read but judged again.
/// \throws DataError if the file cannot be read, FormatError if it holds no results
KeptResults read_results(const std::filesystem::path& file);

}  // namespace dragoman
