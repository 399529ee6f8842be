#pragma once

#include "dragoman/config/weight_type.h"
#include "dragoman/tensor/bf16_linear.h"
#include "dragoman/tensor/packed_linear.h"

#include <torch/nn.h>

#include <cstdint>
#include <memory>

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

  /// max(0, forward(x)), in the same pass where a GPU computes it in bf16.
  torch::Tensor forward_relu(const torch::Tensor& x) const;

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
  /// Undefined unless the product is one of bf16 numbers.
  torch::Tensor bf16_product(const torch::Tensor& x, Epilogue epilogue) const;

  torch::Tensor weight_, bias_;
  LinearMap rounded_;
  std::shared_ptr<const PackedLinear> packed_;
};

TORCH_MODULE(Linear);

}  // namespace dragoman
