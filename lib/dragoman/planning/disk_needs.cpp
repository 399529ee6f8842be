#include "dragoman/planning/disk_needs.h"

#include "dragoman/core/machine.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

double bytes_below(const fs::path& folder) {
  double bytes = 0.0;
  std::error_code error;  // files may vanish while another process trains
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code gone;
    if (at->is_symlink(gone) || !at->is_regular_file(gone)) continue;
    if (const auto size = at->file_size(gone); !gone) bytes += static_cast<double>(size);
  }
  return bytes;
}

double bytes_of_checkpoints(const fs::path& run_dir, const Checkpoint& newest) {
  double bytes = 0.0;
  for (const auto& checkpoint : CheckpointStore(run_dir).list())
    if (checkpoint.step <= newest.step) bytes += bytes_below(checkpoint.path);
  return bytes;
}

}  // namespace

DiskNeeds disk_needs(const TrainRequest& request, const TrainingEstimate& estimate,
                     const std::optional<Checkpoint>& resumed, bool has_text) {
  const fs::path run_dir = request.run_dir.empty() ? "." : request.run_dir;
  const double there = resumed ? bytes_of_checkpoints(run_dir, *resumed) : 0.0;
  DiskNeeds needs{.run = {.bytes = std::max(0.0, estimate.checkpoints_bytes - there),
                          .free = free_disk(run_dir)},
                  .has_text = has_text};
  const double text = has_text ? 0.0 : estimate.text_bytes;
  if (request.data_dir && !on_same_disk(*request.data_dir, run_dir))
    needs.data_cache = DiskNeed{.bytes = text, .free = free_disk(*request.data_dir)};
  else
    needs.run.bytes += text;
  return needs;
}

}  // namespace dragoman
