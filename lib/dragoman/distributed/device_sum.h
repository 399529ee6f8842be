#pragma once

#include "dragoman/distributed/communicator.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

namespace dragoman {

/// Sums parts of a vector over the ranks in GPU memory, concurrently with other computation.
class DeviceSum {
 public:
  DeviceSum() = default;
  virtual ~DeviceSum() = default;
  DeviceSum(const DeviceSum&) = delete;
  DeviceSum& operator=(const DeviceSum&) = delete;

  /// Starts replacing `numbers` by their sums as soon as the work this thread has enqueued on the
  /// GPU is done. Must be called in the same order on all ranks, by one thread at a time.
  /// \param numbers contiguous, float32 or float64; not to be written by others until `finish`
  virtual void start(const at::Tensor& numbers) = 0;

  /// Waits for the sums that were started. GPU work that this thread enqueues afterwards sees them.
  virtual void finish() = 0;
};

/// Where a rank keeps its gradients, exchanged so that all ranks make the same choice.
struct GradientPlace {
  std::int64_t host = 0;
  std::string device;  ///< the GPU's PCI address on its host; empty = the CPU
  bool nccl = false;   ///< whether the rank's program has NCCL
};

/// How the gradients are summed, and a human-readable reason if not on the GPUs.
struct SumChoice {
  bool by_nccl = false;
  std::string obstacle;  ///< empty if there is none, or there are no GPUs
};

/// NCCL if all ranks have it and a GPU of their own; else host memory.
SumChoice choose_sum(const std::vector<GradientPlace>& ranks);

/// Connects the devices of all ranks if `choose_sum` allows it; called on all ranks.
/// \return null if gradients are summed in host memory; with GPUs, the log says why
/// \throws DataError if NCCL cannot start
std::unique_ptr<DeviceSum> join_devices(Communicator& group, const c10::Device& device);

/// Human-readable version: "2.29.7", or empty if this build has no NCCL.
std::string nccl_description();

}  // namespace dragoman
