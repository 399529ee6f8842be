#pragma once

#include "dragoman/train/device_loss.h"
#include "dragoman/train/label_smoothing.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// The results of one pass over some data, summed over its target tokens.
struct PassSums {
  double loss = 0.0;  ///< smoothed, nats
  double nll = 0.0;   ///< unsmoothed, nats
  std::int64_t correct = 0;
  std::int64_t tokens = 0;

  void add(const PassSums& other);
};

/// Accumulates losses. Sums stay on the device until they are read: the host waits once, not for
/// each batch.
class LossTally {
 public:
  void add(const Loss& loss);
  void add(const DeviceLoss& loss);

  PassSums sums() const;

 private:
  PassSums known_;
  at::Tensor on_device_;  ///< as `DeviceLoss::sums`; undefined = 0
};

}  // namespace dragoman
