#pragma once

#include <torch/nn.h>

#include <cstdint>

namespace dragoman {

/// gamma * (x - mean) / sqrt(variance + eps) + beta over the features of each position, with the
/// biased variance; gamma is the parameter `weight`, beta is `bias`.
class LayerNormImpl : public torch::nn::Module {
 public:
  LayerNormImpl(std::int64_t d_model, double eps)
      : weight_(register_parameter("weight", torch::ones({d_model}))),
        bias_(register_parameter("bias", torch::zeros({d_model}))),
        eps_(eps) {}

  /// \param x [batch, len, d_model]
  /// \return the same shape
  torch::Tensor forward(const torch::Tensor& x) const {
    return at::layer_norm(x, weight_.sizes(), weight_, bias_, eps_);
  }

 private:
  torch::Tensor weight_, bias_;
  double eps_;
};

TORCH_MODULE(LayerNorm);

}  // namespace dragoman
