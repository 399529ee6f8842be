#pragma once

#include "dragoman/tensor/bf16_layer_norm.h"

#include <torch/nn.h>

#include <cstdint>
#include <utility>

namespace dragoman {

/// gamma * (x - mean) / sqrt(variance + eps) + beta over the features of each position (section
/// 3.1; Ba et al. 2016), with the biased variance; gamma is the parameter `weight`, beta is `bias`.
class LayerNormImpl : public torch::nn::Module {
 public:
  LayerNormImpl(std::int64_t d_model, double eps)
      : weight_(register_parameter("weight", torch::ones({d_model}))),
        bias_(register_parameter("bias", torch::zeros({d_model}))),
        eps_(eps) {}

  /// \param x [batch, len, d_model]
  /// \return the same shape
  torch::Tensor forward(const torch::Tensor& x) const {
    if (rounded_.weight.defined() && x.scalar_type() == torch::kBFloat16)
      return bf16_layer_norm(x, {weight_, bias_}, rounded_, eps_);
    return at::layer_norm(x, weight_.sizes(), weight_, bias_, eps_);
  }

  /// From now on, `forward` of bf16 numbers uses `bf16_layer_norm`; see there for its requirements.
  /// \param copy the rounded numbers, which the caller keeps up to date
  void share_bf16(LinearMap copy) { rounded_ = std::move(copy); }

 private:
  torch::Tensor weight_, bias_;
  LinearMap rounded_;
  double eps_;
};

TORCH_MODULE(LayerNorm);

}  // namespace dragoman
