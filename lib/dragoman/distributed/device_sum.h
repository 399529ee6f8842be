#pragma once

#include "dragoman/distributed/communicator.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

namespace dragoman {

/// Sums parts of a vector over the ranks where they lie, on a GPU each, beside what it computes.
class DeviceSum {
 public:
  DeviceSum() = default;
  virtual ~DeviceSum() = default;
  DeviceSum(const DeviceSum&) = delete;
  DeviceSum& operator=(const DeviceSum&) = delete;

  /// Begins to replace `numbers` by their sums, as soon as what this thread has given the GPU to do
  /// is done. In the same order on all ranks, and by one thread at a time.
  /// \param numbers contiguous, float32 or float64; nobody else writes them until `finish`
  virtual void start(const at::Tensor& numbers) = 0;

  /// Waits for the sums that were begun. What this thread gives the GPU to do next sees them.
  virtual void finish() = 0;
};

/// What a rank says of the place of its gradients, so that all come to the same choice.
struct GradientPlace {
  std::string host;
  std::string device;  ///< the GPU's address on that host; empty = the CPU
  bool nccl = false;   ///< whether the rank's program has NCCL
};

/// How the gradients are summed, and for people why the GPUs do not do it themselves.
struct SumChoice {
  bool by_nccl = false;
  std::string obstacle;  ///< empty if there is none, or there are no GPUs
};

/// NCCL, where all ranks have it and a GPU that is no other rank's; else the host's memory.
SumChoice choose_sum(const std::vector<GradientPlace>& ranks);

/// Joins the devices of all ranks, if `choose_sum` finds that they can be; all ranks call it.
/// \return nothing where gradients are summed in the host's memory; on GPUs the log says why
/// \throws DataError if NCCL cannot start
std::unique_ptr<DeviceSum> join_devices(Communicator& group, const c10::Device& device);

/// For people: "2.29.7", or empty where this build has no NCCL.
std::string nccl_description();

}  // namespace dragoman
