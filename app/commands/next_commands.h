#pragma once

#include "dragoman/train/limits.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::app {

/// A command line to paste into a shell: this program as it was called, then `arguments`, quoted
/// if necessary.
std::string command_text(const std::vector<std::string>& arguments);

/// What to do with a run when its training has ended, as arguments of this program.
struct NextCommands {
  std::vector<std::string> resume;  ///< continues the training
  std::string purpose;              ///< of `use`: "translate"
  std::vector<std::string> use;     ///< reads lines from stdin
  std::int64_t processes = 1;       ///< that train together
  bool by_slurm = false;            ///< whether srun started them
};

/// Ends a command that trains: logs both commands, of which the first doubles the limit of
/// `options` that ended the training.
/// \throws CLI::RuntimeError with the exit code if a signal ended it
void end_training(NextCommands commands, const TrainingEnd& end, const TrainOptions& options);

}  // namespace dragoman::app
