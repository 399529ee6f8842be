#pragma once

#include "dragoman/train/trainer.h"

#include <filesystem>
#include <functional>
#include <optional>

namespace dragoman {

/// \throws OptionsError as `expect_outside_checkpoints`; DataError if the folder has another
///     program's model, a pipe or a folder where a run has its files or, while there is no
///     checkpoint, other files by the names of these
void expect_folder_for_run(const std::filesystem::path& run_dir);

/// Calls `write` with the run folder locked. If it throws, what it made is removed from a folder
/// that held no checkpoint (`FolderSnapshot`).
/// \throws DataError if another process writes to the folder; and what `write` throws
TrainingEnd in_run_folder(const std::filesystem::path& run_dir,
                          const std::function<TrainingEnd()>& write);

/// Whether `distill` or `back-translate` translates or has translated a text in the folder.
bool has_synthetic_text(const std::filesystem::path& run_dir);

/// \throws DataError if it has, and a new training would not read that text
void expect_own_translations(const std::filesystem::path& run_dir, const DataOptions& data);

/// Trains in the locked run folder and writes its config.json: that of a new run before its first
/// checkpoint, that of a resumed one only after its checkpoint was accepted, so that a run that is
/// refused keeps the one that it has. Parameters and errors are those of `Trainer`.
TrainingEnd train_run(const RunOptions& options, TrainingTask task,
                      const std::filesystem::path& run_dir,
                      const std::optional<Checkpoint>& checkpoint, Communicator& group,
                      const std::optional<StartFrom>& start_from = {});

}  // namespace dragoman
