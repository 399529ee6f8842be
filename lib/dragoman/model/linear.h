#pragma once

#include "dragoman/config/weight_type.h"
#include "dragoman/tensor/bf16_linear.h"

#include <torch/nn.h>

#include <cstdint>
#include <functional>

namespace dragoman {

/// Sizes of a linear map.
struct LinearOptions {
  std::int64_t inputs = 1;
  std::int64_t outputs = 1;
  bool bias = true;
  std::int64_t stacked = 1;  ///< maps of the same input drawn as one matrix (`xavier_uniform`)
};

/// x W^T + b. Weights are initialised by `xavier_uniform`, the bias with zeros.
class LinearImpl : public torch::nn::Module {
 public:
  explicit LinearImpl(const LinearOptions& options);

  /// \param x [..., inputs]
  /// \return [..., outputs]
  torch::Tensor forward(const torch::Tensor& x) const;

  /// From now on, `forward` reads a packed copy of the weights, see PackedLinear; the weights
  /// themselves become [outputs, 0], so that their memory is free unless another tensor shares it.
  void pack(WeightType type);

  /// From now on, `forward` under bf16 autocast uses `bf16_linear`; see there for its
  /// requirements.
  /// \param copy the rounded numbers, which the caller keeps up to date
  void share_bf16(LinearMap copy);

  const torch::Tensor& weight() const { return weight_; }  ///< [outputs, inputs], unless packed
  const torch::Tensor& bias() const { return bias_; }      ///< [outputs] or undefined

 private:
  torch::Tensor weight_, bias_;
  std::function<torch::Tensor(const torch::Tensor& x)> product_;  // instead of at::linear
};

TORCH_MODULE(Linear);

}  // namespace dragoman
