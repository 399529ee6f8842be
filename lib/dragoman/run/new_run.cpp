#include "dragoman/run/new_run.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/new_folder.h"
#include "dragoman/core/shell_quoted.h"
#include "dragoman/run/model_file.h"

#include <system_error>

namespace dragoman {

void expect_outside_checkpoints(const std::filesystem::path& run_dir) {
  std::error_code ignored;
  const auto place = std::filesystem::weakly_canonical(run_dir, ignored);
  for (auto folder = place; folder.has_relative_path(); folder = folder.parent_path())
    if (folder.filename() == checkpoints_folder && exists(folder.parent_path() / config_file))
      throw OptionsError(concat(run_dir.string(), ": lies in the checkpoints of the run ",
                                folder.parent_path().string(),
                                "; give that run to resume it, or another folder for a new one"));
  if (std::filesystem::exists(run_dir / model_file, ignored))
    throw OptionsError(concat(run_dir.string(), ": is a single checkpoint, not a run; choose ",
                              "another folder ('dragoman train --start-from ",
                              shell_quoted(run_dir.string()),
                              " -o RUN_DIR' trains a translation model further)"));
}

Checkpoint write_new_run(const std::filesystem::path& run_dir, std::int64_t step,
                         const std::string& config,
                         const std::function<void(CheckpointWriter&)>& fill) {
  expect_outside_checkpoints(run_dir);
  NewFolder folder(run_dir);
  auto made = CheckpointStore(run_dir).save(step, fill);
  write_file_atomically(run_dir / config_file, config);
  folder.keep();
  return made;
}

}  // namespace dragoman
