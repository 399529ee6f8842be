#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/trial_record.h"
#include "dragoman/experiment/trial_texts.h"

#include <filesystem>

namespace dragoman {

/// Measures on a finished training what its experiment requests. Whatever RUN_DIR/measures.json
/// already has, from this experiment or another, is not measured again; new results are added to
/// it. The best weights are measured, but for what describes the end of a training
/// (measurements.h); translations with the run's own search options. Measurements by older rules
/// are made again.
/// \throws what loading and translating throw
void measure_trial(const Experiment& experiment, const std::filesystem::path& run_dir,
                   const TrialTexts& texts);

/// The SHA-256 of the relations of words that `experiment` needs; empty if it needs none.
std::string word_pairs_identity(const Experiment& experiment);

/// \throws DataError if `experiment` needs relations of words, and the file has none, or some of
///     words that the held-out sources lack: it is about another text
void expect_word_pairs(const Experiment& experiment, const TrialTexts& texts);

/// Records in RUN_DIR/measures.json that the training failed. \param why human-readable reason
void note_failure(const std::filesystem::path& run_dir, const std::string& why);

/// Writes measurements that were kept elsewhere to RUN_DIR/measures.json, where they take the place
/// of training and measuring. Whatever it already has stays.
/// \param record by the rules of `measuring_rules`, with all that `experiment` requests
void restore_measures(const Experiment& experiment, const TrialRecord& record,
                      const std::filesystem::path& run_dir);

/// Whether everything that `experiment` requests has been measured, or the training has failed.
bool is_measured(const Experiment& experiment, const std::filesystem::path& run_dir);

/// The measurements so far. \throws FormatError if RUN_DIR/measures.json is damaged
TrialRecord read_measures(const Experiment& experiment, const std::filesystem::path& run_dir);

}  // namespace dragoman
