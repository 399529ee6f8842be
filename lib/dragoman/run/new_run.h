#pragma once

#include "dragoman/run/checkpoint_store.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace dragoman {

/// \throws OptionsError if a folder that is to be a run lies in the `checkpoints` of one, or is a
///     single checkpoint: readers would never open a run in it, and its files would be overwritten
void expect_outside_checkpoints(const std::filesystem::path& run_dir);

/// Makes a run of one checkpoint that was not trained but averaged, pruned or converted.
/// \param run_dir missing, or an empty folder
/// \param config the text of RUN_DIR/config.json
/// \param fill writes the files of the checkpoint
/// \throws OptionsError as `expect_outside_checkpoints`; DataError if `run_dir` is in use or
///     anything cannot be written, and what `fill` throws; what this call made is then removed
Checkpoint write_new_run(const std::filesystem::path& run_dir, std::int64_t step,
                         const std::string& config,
                         const std::function<void(CheckpointWriter&)>& fill);

}  // namespace dragoman
