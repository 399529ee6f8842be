#pragma once

#include "dragoman/core/error.h"
#include "dragoman/corpus/preflight.h"
#include "dragoman/planning/budget.h"
#include "dragoman/planning/disk_needs.h"
#include "dragoman/train/train.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace dragoman {

/// `train --check`: what a training would require of the text and of this machine.
struct TrainingCheck {
  Preflight texts;  ///< its problems and warnings are those of everything that was looked at
  std::optional<TrainingEstimate> estimate = {};  ///< none if a training would be refused early
  std::optional<TrainingBudget> budget = {};
  bool resumes = false;                          ///< a run that is in the folder
  TrainingDone done = {};                        ///< by that run
  std::string vocabulary = {};                   ///< such as "8,000 pieces, learned from ..."
  std::optional<std::int64_t> free_memory = {};  ///< bytes
  std::optional<std::int64_t> free_disk = {};    ///< bytes, where the run folder would be
  std::optional<DiskNeeds> disk = {};            ///< with an estimate
  ExitCode exit_code = ExitCode::done;           ///< that a training would end at once with

  /// One screen of at most 80 columns; the last line is the verdict.
  /// \param options what was checked
  std::string text(const RunOptions& options) const;
  nlohmann::json json() const;
};

/// Reads the text once, learns pieces from a sample of it unless they are given, and trains the
/// model on the sample for a few seconds; the log reports its progress. Nothing is written.
/// \throws OptionsError for a device that is not there; DataError, FormatError for a tokenizer or a
///     run that cannot be used
TrainingCheck check_training(const TrainRequest& request);

}  // namespace dragoman
