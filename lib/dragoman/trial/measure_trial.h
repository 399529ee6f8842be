#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/trial_record.h"
#include "dragoman/trial/texts.h"

#include <filesystem>

namespace dragoman {

/// Measures on a finished training what its experiment asks for. What RUN_DIR/measures.json has
/// already, of this experiment or another one, is not measured again; what is new is added to it.
/// All is done with the weights of the last update, translations by the run's own search.
/// \throws what loading and translating throw
void measure_trial(const Experiment& experiment, const std::filesystem::path& run_dir,
                   const TrialTexts& texts);

/// Notes in RUN_DIR/measures.json that the training failed. \param why for people
void note_failure(const std::filesystem::path& run_dir, const std::string& why);

/// Whether all that `experiment` asks for has been measured, or the training has failed.
bool is_measured(const Experiment& experiment, const std::filesystem::path& run_dir);

/// What has been measured of it.
TrialRecord read_measures(const Experiment& experiment, const std::filesystem::path& run_dir);

}  // namespace dragoman
