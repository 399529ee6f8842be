#pragma once

#include "dragoman/distributed/communicator.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

namespace dragoman {

/// Which workers of all ranks belong to this process.
struct WorkerShare {
  std::int64_t workers = 1;
  std::int64_t first = 0;  ///< index of the first of them
  std::int64_t all = 1;
};

/// The workers of this process: `asked` or, if that is 0, its share of the cores that the ranks of
/// its host may run on; one on a GPU.
WorkerShare share_workers(Communicator& group, const c10::Device& device, std::int64_t asked);

/// The device with a given name; "auto" and "cuda" assign the GPUs of a host to its ranks in turn.
/// \throws OptionsError as `find_device` does
c10::Device device_of_rank(const Communicator& group, const std::string& name);

}  // namespace dragoman
