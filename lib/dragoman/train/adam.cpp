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

void Adam::step(const at::Tensor& gradient, double rate) {
  // The operator adds one to the step count before it is used.
  auto count = torch::full({}, static_cast<double>(steps_), values_.options().dtype(torch::kFloat32));
  at::_fused_adamw_({values_}, {gradient}, {first_}, {second_}, {}, {count.add_(1.0)}, rate, beta1_,
                    beta2_, decay_, eps_, /*amsgrad=*/false, /*maximize=*/false);
  ++steps_;
}

double clip_norm(at::Tensor& gradient, double max_norm) {
  const auto norm = gradient.norm().item<double>();
  if (max_norm > 0.0 && norm > max_norm) gradient.mul_(max_norm / (norm + 1e-6));
  return norm;
}

}  // namespace dragoman
