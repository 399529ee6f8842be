#pragma once

#include "dragoman/distributed/communicator.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

namespace dragoman {

/// Which of all ranks' workers are this process's.
struct WorkerShare {
  std::int64_t workers = 1;
  std::int64_t first = 0;  ///< number of the first of them
  std::int64_t all = 1;
};

/// The workers of this process: `asked`, or, where that is 0, its share of the cores that ranks on
/// one host may run on; one on a GPU.
WorkerShare share_workers(Communicator& group, const c10::Device& device, std::int64_t asked);

/// The device that `name` asks for; "auto" and "cuda" give each rank of a host a GPU of its own, in
/// turn. \throws OptionsError as `find_device` does
c10::Device device_of_rank(const Communicator& group, const std::string& name);

}  // namespace dragoman
