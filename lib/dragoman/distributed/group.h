#pragma once

#include "dragoman/distributed/communicator.h"

#include <memory>
#include <string>

namespace dragoman {

/// Whether processes that were started together train together.
enum class Distributed {
  automatic,  ///< where a launcher started several
  off,        ///< each by itself
  mpi,        ///< by MPI, however many there are
};

/// How a process finds the others.
struct GroupOptions {
  Distributed distributed = Distributed::automatic;
  double timeout = 30.0;  ///< seconds without a sign of life after which a rank counts as lost

  /// \throws OptionsError if the timeout is outside 1 to 86400
  void validate() const;
};

/// Joins the processes that were started together. On ranks other than 0 the log from then on says
/// only warnings, with the rank. A process started by itself stays alone, and MPI is not touched.
/// \throws OptionsError as `validate` does, if there are several, or `mpi` is asked for, and this build has no MPI, or
///     not the launcher's
std::unique_ptr<Communicator> join_group(const GroupOptions& options);

/// For people: "Open MPI v4.1.4", or that this build has none.
std::string mpi_description();

}  // namespace dragoman
