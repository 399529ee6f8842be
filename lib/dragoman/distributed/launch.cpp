#include "dragoman/distributed/launch.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace dragoman {

namespace {

struct Variables {
  const char* launcher;
  const char* rank;
  const char* size;
};

constexpr const char* srun = "srun";

constexpr std::array<Variables, 3> known_launchers = {{
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"mpiexec", "PMI_RANK", "PMI_SIZE"},
    {srun, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
}};

std::optional<std::int64_t> number_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

/// Whether srun was given a kind of MPI; the variables of the other launchers are set by MPI
/// itself.
bool step_is_joined() {
  return std::getenv("SLURM_MPI_TYPE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
}

}  // namespace

std::optional<Launch> find_launch() {
  for (const auto& known : known_launchers) {
    const auto rank = number_of(known.rank);
    const auto size = number_of(known.size);
    if (rank && size && *rank < *size)
      return Launch{known.launcher, *rank, *size, known.launcher != srun || step_is_joined()};
  }
  return std::nullopt;
}

void expect_single_process(const std::string& command) {
  const auto launch = find_launch();
  if (!launch || launch->size == 1) return;
  throw OptionsError(concat(command, ": works in one process, and ", launch->launcher, " started ",
                            launch->size, "; start one (train.workers sets how many ",
                            "cores it trains on), or train together with 'dragoman train'"));
}

}  // namespace dragoman
