#include "dragoman/train/folder_snapshot.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/new_folder.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/corpus/token_store.h"
#include "dragoman/run/model_file.h"
#include "dragoman/train/run_vocabulary.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace dragoman {

namespace fs = std::filesystem;

namespace {

/// Nothing if it cannot be read, which whoever needs it tells.
std::optional<std::string> content_of(const fs::path& file) {
  try {
    return read_small_file(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

FolderSnapshot::FolderSnapshot(fs::path run_dir)
    : run_dir_(std::move(run_dir)), missing_(missing_folders(run_dir_)) {
  std::error_code error;
  for (fs::directory_iterator at(run_dir_, error), end; !error && at != end; at.increment(error))
    held_.insert(at->path().filename().string());
  is_known_ = !error || missing_.size() > 0;
  if (fs::is_regular_file(run_dir_ / config_file, error))
    configuration_ = content_of(run_dir_ / config_file);
}

bool FolderSnapshot::holds_other_files() const {
  for (const auto* of_run : {lock_name, checkpoints_folder, config_file, synthetic_folder})
    if (held_.contains(of_run)) return false;
  return std::ranges::any_of(held_, [](const std::string& name) { return name != data_folder; });
}

void FolderSnapshot::restore_configuration() const {
  const auto file = run_dir_ / config_file;
  if (!configuration_ || content_of(file) == configuration_) return;
  try {
    write_file_atomically(file, *configuration_);
  } catch (const Error& error) {  // what ended the attempt is told, too
    log_warning(concat(file.string(), ": could not be restored: ", error.what()));
  }
}

void FolderSnapshot::restore(LearnedPieces pieces) const {
  std::error_code ignored;
  const auto checkpoints = run_dir_ / checkpoints_folder;
  if (!is_known_) return;
  if (fs::exists(checkpoints, ignored) && !fs::is_empty(checkpoints, ignored)) return;
  const auto remove = [&](const char* name) {
    if (!held_.contains(name)) fs::remove_all(run_dir_ / name, ignored);
  };
  for (const char* name : {config_file, train_log_file, "tensorboard", checkpoints_folder})
    remove(name);
  restore_configuration();
  const auto data_dir = run_dir_ / data_folder;
  const bool keep_data = fs::exists(data_dir / token_store_file, ignored) ||
                         (pieces == LearnedPieces::kept && holds_learned_vocabulary(data_dir));
  if (!keep_data) remove(data_folder);
  remove(lock_name);  // from here on, another training may begin
  for (const auto& folder : missing_) fs::remove(folder, ignored);  // if it is empty
}

}  // namespace dragoman
