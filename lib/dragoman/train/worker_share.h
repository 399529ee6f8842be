#pragma once

#include "dragoman/config/train_options.h"
#include "dragoman/distributed/communicator.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>

namespace dragoman {

/// How training uses the cores of a process.
struct WorkerPlan {
  std::int64_t workers = 1;  ///< each with a replica of the model and a gradient
  std::int64_t threads = 1;  ///< of each
};

/// `train.workers` and `train.threads`, or the choice that 0 leaves open: one worker per core,
/// unless its share of a batch would have so few rows that matrix products are slow and adding the
/// gradients takes long, or the workers' gradients would fill an eighth of the memory; the other
/// cores are their threads.
/// \param parameters of the model
/// \param memory of the machine in bytes
WorkerPlan plan_workers(const TrainOptions& options, std::int64_t cores, std::int64_t parameters,
                        std::int64_t memory);

/// Of `cores`, those that one of `processes` equal processes may count as its own if a control
/// group gives all of them a quota; at least 1.
std::int64_t within_quota(std::int64_t cores, std::optional<std::int64_t> quota,
                          std::int64_t processes);

/// The plan of one of `processes` equal processes on this machine; one worker on a GPU.
WorkerPlan plan_workers(const TrainOptions& options, const c10::Device& device,
                        std::int64_t parameters, std::int64_t processes = 1);

/// Which workers of all ranks belong to this process.
struct WorkerShare {
  std::int64_t workers = 1;
  std::int64_t first = 0;  ///< index of the first of them
  std::int64_t all = 1;
  std::int64_t threads = 1;  ///< of each of this process's
};

/// The cores of one process among those of its host.
struct BoundCores {
  std::int64_t own = 1;    ///< that it may run on
  std::int64_t host = 1;   ///< that it could run on if no launcher bound it
  std::int64_t ranks = 1;  ///< of the training, on this host
};

/// A warning if a launcher gave this process less than half of its share of the host's cores. Open
/// MPI binds to one core where it starts one or two processes on a host.
std::optional<std::string> binding_warning(const BoundCores& cores);

/// The workers of this process, planned for its share of the cores that the ranks of its host may
/// run on. If the cores decide, rank 0 warns of each host whose first rank has a `binding_warning`.
WorkerShare share_workers(Communicator& group, const c10::Device& device,
                          const TrainOptions& options, std::int64_t parameters);

/// The device with a given name; "auto" and "cuda" assign the GPUs of a host to its ranks in turn.
/// \throws OptionsError as `find_device` does
c10::Device device_of_rank(const Communicator& group, const std::string& name);

}  // namespace dragoman
