#include "dragoman/optimizer/weight_average.h"

#include "dragoman/optimizer/schedule.h"

#include <torch/types.h>

namespace dragoman {

WeightAverage::WeightAverage(const at::Tensor& weights, double decay) : decay_(decay) {
  if (decay > 0.0) average_ = weights.clone();
}

void WeightAverage::update(const at::Tensor& weights, std::int64_t step, WorkerPool& pool) {
  if (!enabled()) return;
  const double rest = 1.0 - average_decay(decay_, step);
  pool.parallel_for(weights.size(0), [&](std::int64_t begin, std::int64_t end) {
    average_.slice(0, begin, end).lerp_(weights.slice(0, begin, end), rest);
  });
}

void WeightAverage::update_unless(const at::Tensor& failed, const at::Tensor& weights,
                                  std::int64_t step) {
  if (!enabled()) return;
  const double rest = 1.0 - average_decay(decay_, step);
  average_.lerp_(weights, ((1.0 - failed) * rest).to(average_.scalar_type()));
}

UseAveragedWeights::UseAveragedWeights(at::Tensor& weights, WeightAverage& average)
    : weights_(weights) {
  if (!average.enabled()) return;
  trained_ = weights_.clone();
  weights_.copy_(average.values());
}

UseAveragedWeights::~UseAveragedWeights() {
  if (trained_.defined()) weights_.copy_(trained_);
}

}  // namespace dragoman
