#pragma once

#include "dragoman/config/enum_names.h"
#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/statistics.h"
#include "dragoman/experiment/trial_record.h"

#include <nlohmann/json.hpp>

#include <cstdint>
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

/// A measure of a variant's training runs without each group of test lines, if it was measured so.
struct Replicates {
  /// few_lines: the test text has fewer lines than `jackknife_groups`.
  enum class State { none, of_some, few_lines, of_all };

  State state = State::none;
  std::vector<double> means = {};  ///< over the seeds, one for each group, with `of_all`
};

/// An experiment and its finished training runs.
struct ExperimentResult {
  Experiment experiment;
  std::vector<Trial> trials;
  std::string practice = {};  ///< Dragoman's own finding, with its kept results alone

  /// The finished trials of a variant, without failed ones.
  std::vector<const Trial*> of_variant(const std::string& variant) const;
  Divergence divergence(const std::string& variant) const;
  /// Whether the times of a variant's training runs were taken on the machine that took most of
  /// the experiment's; one that is not described took none.
  bool has_times(const std::string& variant) const;
  /// A measure over the seeds of a variant.
  Sample sample(const std::string& variant, const std::string& measure) const;
  /// The same for tables and figures, in which all variants are compared: empty for times without
  /// `has_times`.
  Sample shown_sample(const std::string& variant, const std::string& measure) const;
  Replicates replicates(const std::string& variant, const std::string& measure) const;
  /// The number of test lines of which a measure (ErrorSource::share) is the share; 0 if it was not
  /// measured.
  std::int64_t lines_of(const std::string& variant, const std::string& measure) const;
  /// Whether any measure has the error of the test text.
  bool has_replicates() const;
};

/// The weights that were measured.
enum class MeasuredWeights {
  last,  ///< everything: those of the last update
  best,  ///< translations and held-out text: the best by train.early_stopping_metric
};
DRAGOMAN_ENUM_NAMES(MeasuredWeights,
                    {{MeasuredWeights::last, "last"}, {MeasuredWeights::best, "best"}})

/// Facts for the report: on which machine and text everything was measured, and by which rules.
struct ReportFacts {
  std::string text;  ///< names of the text files
  std::string machine;
  std::string version;  ///< of the program
  MeasuredWeights weights = MeasuredWeights::best;
  int rules = measuring_rules;
  nlohmann::json text_record = {};  ///< of the text files: names and SHA-256, or null
};

}  // namespace dragoman
