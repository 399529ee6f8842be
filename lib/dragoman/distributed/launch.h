#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dragoman {

/// What a launcher of parallel programs passes to this process.
struct Launch {
  const char* launcher;  ///< human-readable: "mpirun", "srun"
  std::int64_t rank;
  std::int64_t size;
  bool joined;  ///< whether the launcher lets the MPI of the processes connect
};

/// Reads the environment variables of Open MPI's mpirun, of PMI launchers (MPICH, Intel MPI) or of
/// Slurm's srun, in this order; none if the process was started on its own. A Slurm batch script
/// counts as started on its own: only the tasks of a step are numbered. They are joined only with
/// `--mpi=pmix` (or another kind).
std::optional<Launch> find_launch();

/// For a command that works in one process.
/// \param command human-readable: "distill"
/// \throws OptionsError if a launcher started several
void expect_single_process(const std::string& command);

}  // namespace dragoman
