#include "commands/next_commands.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/shell_quoted.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>

namespace dragoman::app {

namespace {

/// "train.max_steps=12000", twice what was spent; empty if no limit ended the training, or the
/// learning rate has reached 0.
std::string doubled_limit(const TrainingEnd& end, const TrainOptions& options) {
  if (options.decays() && options.decay_steps <= end.step) return {};
  if (end.option.empty()) return {};
  return concat(end.option, '=', std::max(1LL, std::llround(2.0 * end.spent)));
}

/// What starts as many processes again: "mpirun -n 2 "; empty for one.
std::string launcher_text(const NextCommands& commands) {
  if (commands.processes == 1) return {};
  return concat(commands.by_slurm ? "srun --mpi=pmix" : "mpirun", " -n ", commands.processes, ' ');
}

}  // namespace

std::string command_text(const std::vector<std::string>& arguments) {
  std::string text = shell_quoted(program_invocation_name);
  for (const auto& argument : arguments) text += ' ' + shell_quoted(argument);
  return text;
}

void end_training(NextCommands commands, const TrainingEnd& end, const TrainOptions& options) {
  const auto limit = doubled_limit(end, options);
  if (!limit.empty()) commands.resume.insert(commands.resume.end(), {"--set", limit});
  if (end.signal != 0 || !limit.empty())
    log_info(concat(end.signal != 0 ? "to resume: " : "to train longer: ", launcher_text(commands),
                    command_text(commands.resume)));
  log_info(concat("to ", commands.purpose, ": ", command_text(commands.use), " < INPUT > OUTPUT"));
  if (end.signal != 0) throw CLI::RuntimeError(128 + end.signal);
}

}  // namespace dragoman::app
