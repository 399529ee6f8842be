#include "dragoman/run/new_run.h"

#include "dragoman/core/file.h"
#include "dragoman/core/new_folder.h"
#include "dragoman/run/model_file.h"

namespace dragoman {

Checkpoint write_new_run(const std::filesystem::path& run_dir, std::int64_t step,
                         const std::string& config,
                         const std::function<void(CheckpointWriter&)>& fill) {
  NewFolder folder(run_dir);
  auto made = CheckpointStore(run_dir).save(step, fill);
  write_file_atomically(run_dir / config_file, config);
  folder.keep();
  return made;
}

}  // namespace dragoman
