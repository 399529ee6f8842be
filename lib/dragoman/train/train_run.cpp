#include "dragoman/train/train_run.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/system_error.h"
#include "dragoman/run/foreign_program.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/new_run.h"
#include "dragoman/run/run_files.h"
#include "dragoman/run/run_lock.h"
#include "dragoman/run/run_place.h"
#include "dragoman/run/training_records.h"
#include "dragoman/train/folder_snapshot.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace dragoman {

namespace {

/// A pipe in place of one would be waited for, or replaced.
void expect_regular_files(const std::filesystem::path& run_dir) {
  for (const char* name : {config_file, train_log_file, "latest"}) {
    std::error_code unknown;
    const auto kind = std::filesystem::status(run_dir / name, unknown).type();
    using std::filesystem::file_type;
    if (!unknown && kind != file_type::regular && kind != file_type::not_found)
      throw DataError(
          concat((run_dir / name).string(),
                 kind == file_type::directory ? ": is a folder" : ": is not a regular file",
                 "; remove it, or choose another folder"));
  }
}

/// What keeps a file from being the configuration of a run; empty if nothing does.
std::string fault_of_configuration(const std::filesystem::path& file) try {
  read_stored_options(file);
  return {};
} catch (const OptionsError& error) {
  return concat("is not the configuration of a run (", error.what(), ')');
}

/// By its first line, as the end may be missing after a crash; a log may also be empty.
std::string fault_of_log(const std::filesystem::path& file) {
  std::ifstream lines(file, std::ios::binary);
  std::string first;
  const bool is_log = !std::getline(lines, first) || !training_record(first).is_null();
  return is_log ? "" : "is not the log of a training run";
}

std::string fault_of_name(const std::filesystem::path& file) {
  return read_small_file(file).starts_with("step-") ? "" : "does not name a checkpoint";
}

/// Without checkpoints it may be any folder, and the files that a new run would replace those of
/// somebody else. \throws DataError if they are
void expect_files_of_run(const std::filesystem::path& run_dir) {
  if (has_checkpoints(run_dir)) return;
  const auto expect = [&](const char* name, std::string (*fault_of)(const std::filesystem::path&)) {
    std::error_code unknown;
    const auto file = run_dir / name;
    if (!std::filesystem::exists(file, unknown)) return;
    if (const auto fault = fault_of(file); !fault.empty())
      throw DataError(concat(file.string(), ": ", fault, " and would be replaced; ",
                             "move it, or choose another folder"));
  };
  expect(config_file, fault_of_configuration);
  expect(train_log_file, fault_of_log);
  expect("latest", fault_of_name);
}

}  // namespace

void expect_folder_for_run(const std::filesystem::path& run_dir) {
  if (const auto program = foreign_program(run_dir); !program.empty())
    throw DataError(
        concat(run_dir.string(), ": contains a model of ", program, "; choose another folder"));
  expect_outside_checkpoints(run_dir);
  expect_regular_files(run_dir);
  expect_files_of_run(run_dir);
}

TrainingEnd in_run_folder(const std::filesystem::path& run_dir,
                          const std::function<TrainingEnd()>& write) {
  expect_folder_for_run(run_dir);
  const FolderSnapshot before(run_dir);
  if (before.holds_other_files())
    log_warning(concat(run_dir.string(),
                       ": already contains other files; the run's files are added to them"));
  const RunLock lock(run_dir);
  const RunPlace place(run_dir);
  try {
    return write();
  } catch (const SystemError&) {  // a full disk
    if (place.unchanged()) before.restore(LearnedPieces::kept);
    throw;
  } catch (...) {
    if (place.unchanged()) before.restore();
    throw;
  }
}

bool has_synthetic_text(const std::filesystem::path& run_dir) {
  std::error_code error;
  return !run_dir.empty() &&
         std::filesystem::exists(run_dir / synthetic_folder / "facts.json", error);
}

void expect_own_translations(const std::filesystem::path& run_dir, const DataOptions& data) {
  if (!has_synthetic_text(run_dir)) return;
  const auto is_there = [&](const std::string& file) {
    std::error_code missing;
    return std::filesystem::equivalent(std::filesystem::absolute(file).parent_path(),
                                       run_dir / synthetic_folder, missing);
  };
  if (std::ranges::none_of(data.train_source, is_there) &&
      std::ranges::none_of(data.train_target, is_there))
    throw DataError(concat(run_dir.string(),
                           ": 'dragoman distill' or 'dragoman back-translate' has begun there; "
                           "repeat that whole command, or choose another folder"));
}

TrainingEnd train_run(const RunOptions& options, TrainingTask task,
                      const std::filesystem::path& run_dir,
                      const std::optional<Checkpoint>& checkpoint, Communicator& group,
                      const std::optional<StartFrom>& start_from) {
  const auto write_config = [&] { write_file_atomically(run_dir / config_file, to_text(options)); };
  if (!checkpoint) write_config();
  Trainer trainer(options, std::move(task), run_dir, checkpoint, group, start_from);
  if (checkpoint) write_config();
  return trainer.run();
}

}  // namespace dragoman
