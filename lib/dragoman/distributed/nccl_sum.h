#pragma once

#include "dragoman/distributed/device_sum.h"

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

struct ncclComm;

namespace dragoman {

/// Sums by NCCL, on a stream of their own. The order within a sum is NCCL's: the same on all ranks,
/// but not the order of the ranks.
class NcclSum final : public DeviceSum {
 public:
  /// Starts NCCL on all ranks together; each has a GPU of its own.
  /// \throws DataError if NCCL cannot start
  NcclSum(Communicator& group, const c10::Device& device);

  /// Ends NCCL: with the others, or at once where an error ends this rank.
  ~NcclSum() override;

  /// \throws DataError if NCCL fails
  void start(const at::Tensor& numbers) override;

  /// \throws DataError if NCCL fails on the way; a lost rank ends the process as the group does
  void finish() override;

 private:
  c10::Device device_;
  c10::Stream stream_;
  c10::Event written_, summed_;
  ncclComm* ranks_ = nullptr;
  int exceptions_;  ///< under way when this object was made
};

/// A GPU's address on its host: "0000:3b:00.0", whatever number the process knows it by.
std::string gpu_address(const c10::Device& device);

}  // namespace dragoman
