#include "dragoman/run/nearby_runs.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/run/checkpoint_store.h"

#include <algorithm>
#include <string>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

bool is_run(const fs::path& folder) {
  std::error_code missing;
  try {
    return fs::is_directory(folder / checkpoints_folder, missing) &&
           !CheckpointStore(folder).list().empty();
  } catch (const DataError&) {  // it cannot be listed
    return false;
  }
}

/// Names of the folders in `folder` that are runs with a checkpoint, some of them.
std::vector<std::string> runs_in(const fs::path& folder) {
  constexpr std::size_t most_named = 5;
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (is_run(at->path())) names.push_back(at->path().filename().string());
  std::ranges::sort(names);
  names.resize(std::min(names.size(), most_named));
  return names;
}

}  // namespace

void expect_no_runs_nearby(const fs::path& folder) {
  if (const auto runs = runs_in(folder); !runs.empty())
    throw DataError(concat(folder.string(), ": is no run, but contains some: ", joined(runs),
                           "; give one of them: ", (folder / runs.front()).string()));
  const auto whole = fs::absolute(folder / "").lexically_normal().parent_path();
  if (whole.filename() == checkpoints_folder && is_run(whole.parent_path()))
    throw DataError(concat(folder.string(), ": has the checkpoints of a run; give the run, ",
                           whole.parent_path().string(), ", or one of them"));
}

}  // namespace dragoman
