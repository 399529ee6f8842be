#pragma once

#include <cstdint>
#include <optional>

namespace dragoman {

/// What a launcher of parallel programs says of this process.
struct Launch {
  const char* launcher;  ///< for people: "mpirun", "srun"
  std::int64_t rank;
  std::int64_t size;
  bool joined;  ///< whether the launcher lets an MPI in the processes find the others
};

/// What the environment says: that of Open MPI's mpirun, of launchers that speak PMI (MPICH, Intel
/// MPI) or of Slurm's srun, in this order; nothing if the process was started by itself. A batch
/// script of Slurm is by itself: only the tasks of a step are numbered. They are joined by `--mpi=pmix`
/// (or another kind) alone.
std::optional<Launch> find_launch();

}  // namespace dragoman
