#include "dragoman/train/adam.h"

#include <torch/types.h>

namespace dragoman {

Adam::Adam(at::Tensor values, const TrainOptions& options)
    : values_(std::move(values)),
      first_(torch::zeros_like(values_)),
      second_(torch::zeros_like(values_)),
      beta1_(options.beta1),
      beta2_(options.beta2),
      eps_(options.adam_eps),
      decay_(options.weight_decay) {}

void Adam::step(const at::Tensor& gradient, double rate, WorkerPool* pool) {
  ++steps_;
  const auto update = [&](std::int64_t begin, std::int64_t end) {
    const auto part = [&](const at::Tensor& flat) { return flat.slice(0, begin, end); };
    const auto count =
        torch::full({}, static_cast<double>(steps_), values_.options().dtype(torch::kFloat32));
    at::_fused_adamw_({part(values_)}, {part(gradient)}, {part(first_)}, {part(second_)}, {},
                      {count}, rate, beta1_, beta2_, decay_, eps_, /*amsgrad=*/false,
                      /*maximize=*/false);
  };
  if (pool != nullptr)
    pool->parallel_for(values_.size(0), update);
  else
    update(0, values_.size(0));
}

double clip_norm(at::Tensor& gradient, double max_norm) {
  const auto norm = gradient.norm().item<double>();
  if (max_norm > 0.0 && norm > max_norm) gradient.mul_(max_norm / (norm + 1e-6));
  return norm;
}

}  // namespace dragoman
