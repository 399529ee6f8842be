#include "dragoman/train/folder_snapshot.h"

#include "dragoman/corpus/token_store.h"
#include "dragoman/run/model_file.h"
#include "dragoman/train/run_vocabulary.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

namespace dragoman {

namespace fs = std::filesystem;

FolderSnapshot::FolderSnapshot(fs::path run_dir) : run_dir_(std::move(run_dir)) {
  constexpr std::array<std::string_view, 4> of_runs{lock_name, checkpoints_folder, config_file,
                                                    synthetic_folder};
  std::error_code error;
  was_there_ = fs::exists(run_dir_, error);
  for (const auto& entry : entries()) {
    const auto name = entry.filename().string();
    (name == data_folder ? had_data_ : had_more_) = true;
    had_run_ = had_run_ || std::ranges::find(of_runs, name) != of_runs.end();
  }
}

void FolderSnapshot::restore(LearnedPieces pieces) const {
  std::error_code ignored;
  const auto checkpoints = run_dir_ / checkpoints_folder;
  if (had_more_ || (fs::exists(checkpoints, ignored) && !fs::is_empty(checkpoints, ignored)))
    return;
  for (const char* name : {config_file, train_log_file, "tensorboard", checkpoints_folder})
    fs::remove_all(run_dir_ / name, ignored);
  const auto data_dir = run_dir_ / data_folder;
  const bool keep_data = had_data_ || fs::exists(data_dir / token_store_file, ignored) ||
                         (pieces == LearnedPieces::kept && holds_learned_vocabulary(data_dir));
  if (!keep_data) fs::remove_all(data_dir, ignored);
  fs::remove(run_dir_ / lock_name, ignored);       // from here on, another training may begin
  if (!was_there_) fs::remove(run_dir_, ignored);  // if it is empty
}

std::vector<fs::path> FolderSnapshot::entries() const {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(run_dir_, error), end; !error && at != end; at.increment(error))
    found.push_back(at->path());
  return found;
}

}  // namespace dragoman
