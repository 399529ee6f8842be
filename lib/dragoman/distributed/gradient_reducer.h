#pragma once

#include "dragoman/distributed/communicator.h"
#include "dragoman/distributed/device_sum.h"

#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace dragoman {

/// The range of a parameter in a flat vector.
struct ParameterRange {
  std::int64_t offset;
  std::int64_t size;
};

/// Sums the gradients of this process's workers and then of all ranks, bucket by bucket from the
/// last parameter to the first, the order in which backward computes them: a bucket is sent as soon
/// as every worker has computed it, while backward continues.
///
/// The order of each sum is fixed: workers in a process first, then ranks. With one worker per rank
/// the result is bit-identical to one process with as many workers; sums on GPUs use their own
/// order.
class GradientReducer {
 public:
  /// \param gradients [size] for each worker, float32 or float64; the first receives the sums
  /// \param parameters in the order in which the model names them
  /// \param devices sums them in GPU memory; without it, gradients on a GPU are summed in host
  ///     memory, all at the end
  GradientReducer(Communicator& group, std::vector<at::Tensor> gradients,
                  const std::vector<ParameterRange>& parameters,
                  std::unique_ptr<DeviceSum> devices = nullptr);

  /// If an error has ended an update between `begin` and `finish`, sums that were started go on
  /// writing: the gradients then stay in memory until the process ends.
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  /// Starts an update: nothing is ready yet.
  void begin();

  /// Reports that a worker's gradient of this parameter is complete. From any thread, once per
  /// worker and parameter in each update.
  void ready(std::size_t parameter);

  /// The same for all parameters of a worker that has no data in this update.
  void skip_worker();

  /// Waits for the sums, including those of parameters without a gradient, and sums `others` as
  /// well.
  void finish(std::span<double> others);

 private:
  struct Bucket {
    ParameterRange range;
    std::int64_t parameters = 0;
    std::atomic<std::int64_t> missing = 0;
    std::atomic<bool> started = false;
  };

  void add_workers(const ParameterRange& range);
  void start(std::size_t place);
  void start_on_devices(bool all);
  void sum_on_devices();
  void sum_on_host();

  Communicator& group_;
  std::vector<at::Tensor> gradients_;
  std::vector<std::unique_ptr<Bucket>> buckets_;
  std::vector<std::size_t> bucket_of_;  ///< for each parameter
  at::Tensor host_;                     ///< the first gradient's copy, if that is on a GPU
  std::unique_ptr<DeviceSum> devices_;
  std::mutex order_;
  std::size_t next_ = 0;     ///< the next bucket for the devices to sum
  bool unfinished_ = false;  ///< between `begin` and the end of `finish`
};

}  // namespace dragoman
