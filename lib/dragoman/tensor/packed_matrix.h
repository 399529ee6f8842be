#pragma once

#include "dragoman/config/weight_type.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dragoman {

/// Whether this processor has instructions for products of such matrices. Without them the products
/// still work, but slower than LibTorch's float32.
bool has_packed_kernel(WeightType type);

/// The instructions by which products of such matrices are computed: "AVX-512 VNNI", "plain loops".
std::string packed_instructions(WeightType type);

/// A linear map whose matrix is packed once, in the order in which products read it. For inference
/// only: on the CPU, without gradient, and unaffected by later changes of the weights.
///
/// int8: each output's weights are multiplied by 127 / their largest magnitude and rounded; so is
/// each row of x at each product.
class PackedMatrix {
 public:
  /// \param weight [outputs, inputs] float32 on the CPU
  /// \param bias [outputs], undefined = 0
  /// \throws DataError if a weight is not a finite number
  PackedMatrix(const at::Tensor& weight, const at::Tensor& bias, WeightType type);

  /// x W^T + b. \param x [..., inputs] float32 \return [..., outputs] float32
  at::Tensor multiply(const at::Tensor& x) const;

 private:
  void pack_column(const float* weight, std::int64_t column, std::vector<std::int32_t>& words);

  WeightType type_;
  std::int64_t outputs_, inputs_, panels_, depth_;
  std::vector<std::int32_t> words_;  // [panels, depth, panel_columns]
  std::vector<float> bias_;          // [panels * panel_columns]
  std::vector<float> column_scale_;
  std::vector<std::int32_t> start_;
};

}  // namespace dragoman
