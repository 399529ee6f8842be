#pragma once

#include "dragoman/distributed/communicator.h"

#include <memory>
#include <string>

namespace dragoman {

/// Whether processes that were started together train together.
enum class Distributed {
  automatic,  ///< if a launcher started several
  off,        ///< each on its own
  mpi,        ///< by MPI, with any number of processes
};

/// How a process finds the others.
struct GroupOptions {
  Distributed distributed = Distributed::automatic;
  double timeout = 30.0;  ///< seconds without a heartbeat after which a rank counts as lost

  /// \throws OptionsError if the timeout is outside 1 to 86400
  void validate() const;
};

/// Where a launcher started several processes that will join, ranks other than 0 log only errors
/// from now on, prefixed with the rank: what they would warn of has to be gathered on rank 0.
void log_as_rank(const GroupOptions& options);

/// Joins the processes that were started together. From then on, ranks other than 0 log only
/// errors, as `log_as_rank` says. A process started on its own stays alone, and MPI is not
/// initialised.
/// \throws OptionsError as `validate` does, or if there are several processes or `mpi` is requested
///     and this build has no MPI, or an MPI other than the launcher's
std::unique_ptr<Communicator> join_group(const GroupOptions& options);

/// Human-readable: "Open MPI v4.1.4", or that this build has none.
std::string mpi_description();

}  // namespace dragoman
