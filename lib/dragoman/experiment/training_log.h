#pragma once

#include "dragoman/experiment/trial_record.h"

#include <filesystem>

namespace dragoman {

/// Whether a training has ended on its own, at its limit.
bool is_finished(const std::filesystem::path& run_dir);

/// The contents of RUN_DIR/train.jsonl: the losses by update, train_nll of the last window,
/// parameters, skipped updates, train_seconds of wall-clock time, version and threads.
TrialRecord read_training_log(const std::filesystem::path& run_dir);

}  // namespace dragoman
