#pragma once

#include "dragoman/train/trainer.h"

#include <filesystem>
#include <functional>
#include <optional>

namespace dragoman {

/// Calls `write` with the run folder locked. If it throws, what it made is removed from a folder
/// that held no checkpoint (`FolderSnapshot`).
/// \throws DataError if another process writes to the folder; and what `write` throws
TrainingEnd in_run_folder(const std::filesystem::path& run_dir,
                          const std::function<TrainingEnd()>& write);

/// Trains in the locked run folder and writes its config.json: that of a new run before its first
/// checkpoint, that of a resumed one only after its checkpoint was accepted, so that a run that is
/// refused keeps the one that it has. Parameters and errors are those of `Trainer`.
TrainingEnd train_run(const RunOptions& options, TrainingTask task,
                      const std::filesystem::path& run_dir,
                      const std::optional<Checkpoint>& checkpoint, Communicator& group,
                      const std::optional<WarmStart>& warm_start = {});

}  // namespace dragoman
