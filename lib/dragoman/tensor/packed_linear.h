#pragma once

#include "dragoman/kernels/packed_matrix.h"

#include <ATen/core/Tensor.h>

namespace dragoman {

/// A PackedMatrix for tensors.
class PackedLinear {
 public:
  /// \param weight [outputs, inputs] float32 on the CPU
  /// \param bias [outputs], undefined = 0
  /// \throws ContractError if the weights are on another device; DataError if one is not a finite
  ///     number
  PackedLinear(const at::Tensor& weight, const at::Tensor& bias, WeightType type);

  /// x W^T + b. \param x [..., inputs] float32 \return [..., outputs] float32
  at::Tensor multiply(const at::Tensor& x) const;

 private:
  PackedMatrix matrix_;
};

}  // namespace dragoman
