#include "dragoman/distributed/group.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/distributed/launch.h"
#include "dragoman/distributed/single.h"

#ifdef DRAGOMAN_HAS_MPI
#include "dragoman/distributed/mpi.h"
#endif

#include <algorithm>
#include <optional>

namespace dragoman {

namespace {

void log_as_rank(std::int64_t rank) {
  if (rank == 0) return;
  set_log_name(concat("rank ", rank));
  set_log_level(LogLevel::error);  // rank 0 speaks for all
}

}  // namespace

#ifdef DRAGOMAN_HAS_MPI

namespace {

std::unique_ptr<Communicator> join_by_mpi(const std::optional<Launch>& launch, double timeout) {
  if (launch && !launch->joined)
    throw OptionsError(concat(
        "train: ", launch->launcher, " started ", launch->size,
        " processes that cannot find each other by MPI; start them with srun --mpi=pmix "
        "(srun --mpi=list shows what is available) or with mpirun, or give --distributed off"));
  auto group = std::make_unique<Mpi>(timeout);
  if (launch && group->size() != launch->size)
    throw OptionsError(
        concat("train: ", launch->launcher, " started ", launch->size, " processes, but ",
               mpi_description(), " of this build finds ", group->size(),
               "; use that MPI's own launcher (for srun: --mpi=pmix), or --distributed off"));
  log_as_rank(group->rank());
  return group;
}

}  // namespace

std::string mpi_description() { return mpi_library(); }

#else

namespace {

std::unique_ptr<Communicator> join_by_mpi(const std::optional<Launch>& launch, double) {
  const auto fact =
      launch ? concat("started as one of ", launch->size, " processes by ", launch->launcher)
             : std::string("--distributed mpi is set");
  throw OptionsError(concat("train: ", fact,
                            ", but this build has no MPI; configure it with "
                            "-DDRAGOMAN_WITH_MPI=ON (libopenmpi-dev), or give --distributed off if "
                            "each process should train its own run"));
}

}  // namespace

std::string mpi_description() { return "not in this build (-DDRAGOMAN_WITH_MPI=ON)"; }

#endif

void GroupOptions::validate() const {
  if (timeout >= 1.0 && timeout <= 86400.0) return;
  throw OptionsError(concat("train: --distributed-timeout ", timeout,
                            " is outside 1 to 86400; choose seconds such as 30"));
}

void log_as_rank(const GroupOptions& options) {
  const auto launch = find_launch();
  if (launch && options.distributed != Distributed::off) log_as_rank(launch->rank);
}

std::unique_ptr<Communicator> join_group(const GroupOptions& options) {
  options.validate();
  const auto launch = find_launch();
  const bool together =
      options.distributed == Distributed::mpi ||
      (options.distributed == Distributed::automatic && launch && launch->size > 1);
  if (!together) return std::make_unique<Single>();
  return join_by_mpi(launch, options.timeout);
}

}  // namespace dragoman
