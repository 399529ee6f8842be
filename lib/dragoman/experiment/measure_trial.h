#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/trial_record.h"
#include "dragoman/experiment/trial_texts.h"

#include <filesystem>

namespace dragoman {

/// Measures on a finished training what its experiment requests. Whatever RUN_DIR/measures.json
/// already has, from this experiment or another, is not measured again; new results are added to
/// it. Everything is measured with the weights of the last update, translations with the run's own
/// search options.
/// \throws what loading and translating throw
void measure_trial(const Experiment& experiment, const std::filesystem::path& run_dir,
                   const TrialTexts& texts);

/// Records in RUN_DIR/measures.json that the training failed. \param why human-readable reason
void note_failure(const std::filesystem::path& run_dir, const std::string& why);

/// Whether everything that `experiment` requests has been measured, or the training has failed.
bool is_measured(const Experiment& experiment, const std::filesystem::path& run_dir);

/// The measurements so far.
TrialRecord read_measures(const Experiment& experiment, const std::filesystem::path& run_dir);

}  // namespace dragoman
