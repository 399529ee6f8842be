#pragma once

#include "dragoman/tensor/worker_pool.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// The exponential moving average of the weights (`train.ema_decay`): what is validated, saved and
/// used instead of the weights being trained.
class WeightAverage {
 public:
  /// \param weights [size], flat; the average starts with them
  /// \param decay 0 = off: the object then does nothing
  WeightAverage(const at::Tensor& weights, double decay);

  bool enabled() const { return average_.defined(); }

  /// average = d average + (1 - d) weights, with d = `average_decay(decay, step)`.
  void update(const at::Tensor& weights, std::int64_t step, WorkerPool& pool);

  /// The same without waiting for the device that computes it; nothing changes if `failed` is 1.
  /// \param failed scalar float32, 0 or 1
  void update_unless(const at::Tensor& failed, const at::Tensor& weights, std::int64_t step);

  /// [size]; undefined if off.
  at::Tensor& values() { return average_; }

 private:
  double decay_;
  at::Tensor average_;
};

/// While an instance exists, the model has the averaged weights, if they are averaged.
class UseAveragedWeights {
 public:
  /// \param weights [size], the model's
  UseAveragedWeights(at::Tensor& weights, WeightAverage& average);
  ~UseAveragedWeights();
  UseAveragedWeights(const UseAveragedWeights&) = delete;
  UseAveragedWeights& operator=(const UseAveragedWeights&) = delete;

 private:
  at::Tensor& weights_;
  at::Tensor trained_;  ///< the weights being trained, [size]; undefined if they are the model's
};

}  // namespace dragoman
