#include "dragoman/convert/imported_run.h"

#include "dragoman/run/model_file.h"

namespace dragoman {

std::vector<std::filesystem::path> imported_shortlists(const std::filesystem::path& checkpoint) {
  namespace fs = std::filesystem;
  if (checkpoint.empty()) return {};
  const auto folder = fs::absolute(checkpoint / "").lexically_normal().parent_path().parent_path();
  if (folder.filename() != checkpoints_folder) return {};
  const auto run_dir = folder.parent_path();
  std::vector<fs::path> found;
  for (const char* name : {marian_shortlist_file, vocabulary_map_file})
    if (fs::exists(run_dir / name)) found.push_back(run_dir / name);
  return found;
}

}  // namespace dragoman
