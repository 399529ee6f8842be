#pragma once

#include "dragoman/distributed/device_sum.h"

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

struct ncclComm;

namespace dragoman {

/// Sums by NCCL, on a separate stream. The order within a sum is chosen by NCCL: the same on all
/// ranks, but not rank order.
class NcclSum final : public DeviceSum {
 public:
  /// Starts NCCL on all ranks together; each has its own GPU.
  /// \throws DataError if NCCL cannot start
  NcclSum(Communicator& group, const c10::Device& device);

  /// Shuts NCCL down: together with the others, or at once if an error ends this rank.
  ~NcclSum() override;

  /// \throws DataError if NCCL fails
  void start(const at::Tensor& numbers) override;

  /// \throws DataError if NCCL fails meanwhile; a lost rank ends the process as in the group
  void finish() override;

 private:
  c10::Device device_;
  c10::Stream stream_;
  c10::Event written_, summed_;
  ncclComm* ranks_ = nullptr;
  int exceptions_;  ///< in flight when this object was created
};

/// A GPU's PCI address on its host: "0000:3b:00.0", independent of its index in this process.
std::string gpu_address(const c10::Device& device);

}  // namespace dragoman
