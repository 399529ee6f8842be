#pragma once

#include "dragoman/config/weight_type.h"
#include "dragoman/core/aligned_vector.h"
#include "dragoman/kernels/packed_rows.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// Whether this processor has more instructions for products of such matrices than every processor
/// of its architecture; else they are computed by `plain_loops`.
bool has_packed_kernel(WeightType type);

/// The instructions by which products of such matrices are computed: "AVX-512 VNNI", "SSE2".
std::string packed_instructions(WeightType type);

/// The rows of a product's left factor in the form that products with one type of weights read.
/// float32 rows are read where they are; bf16 and int8 are made once, for all products with these
/// rows.
class PackedRows {
 public:
  /// \param x [rows, width] float32; must outlive the products if `type` is float32
  void set(const float* x, std::int64_t rows, std::int64_t width, WeightType type);

  std::int64_t rows() const { return rows_; }
  std::int64_t width() const { return width_; }

 private:
  friend class PackedMatrix;

  void pack(const float* x);

  std::int64_t rows_ = 0, width_ = 0;
  WeightType type_ = WeightType::float32;
  const std::int32_t* words_ = nullptr;  // [rows, words of one row]
  AlignedVector<std::int32_t> own_words_;
  std::vector<float> scales_;  // int8 only
  SparseInt32 sparse_;
  SplitInt8 split_;  // int8 with AVX2 only
};

/// What becomes of a product: c = x W^T + b, then relu, then the residual is added.
struct ProductResult {
  float* c = nullptr;  ///< [rows, outputs]
  bool relu = false;
  const float* residual = nullptr;  ///< [rows, outputs], may be `c`; null = none
};

/// \throws DataError if a weight is NaN or infinite
void expect_finite_weights(std::span<const float> weights);

/// A linear map whose matrix is packed once, in the order in which products read it. For inference
/// only: on the CPU, without gradient, and unaffected by later changes of the weights.
///
/// int8: each output's weights are multiplied by 127 / their largest magnitude and rounded; so is
/// each row of x at each product.
class PackedMatrix {
 public:
  PackedMatrix() = default;

  /// \param weight [outputs, inputs]
  /// \param bias [outputs], or empty = 0
  /// \throws DataError if a weight is not a finite number; OptionsError if the sum of `inputs`
  ///     products of int8 would not fit into 32 bits
  PackedMatrix(std::span<const float> weight, std::span<const float> bias, std::int64_t outputs,
               std::int64_t inputs, WeightType type);

  std::int64_t outputs() const { return outputs_; }
  std::int64_t inputs() const { return inputs_; }
  WeightType type() const { return type_; }

  /// The parts of the outputs that can be computed independently of each other.
  std::int64_t panels() const { return panels_; }

  /// The fewest panels whose product with `x` is worth waking a thread.
  std::int64_t grain(const PackedRows& x) const;

  /// \param x set for this matrix's inputs and type
  void multiply(const PackedRows& x, const ProductResult& result) const;

  /// The same for the panels from `first` to `last` - 1.
  void multiply(const PackedRows& x, const ProductResult& result, std::int64_t first,
                std::int64_t last) const;

 private:
  friend class PackedOutputs;

  void pack_column(const float* weight, std::int64_t column, std::vector<std::int32_t>& words);

  WeightType type_ = WeightType::float32;
  std::int64_t outputs_ = 0, inputs_ = 0, panels_ = 0, depth_ = 0;
  AlignedVector<std::int32_t> words_;  // [panels, depth, panel_columns]
  std::vector<float> bias_;            // [panels * panel_columns]
  std::vector<float> column_scale_;
  std::vector<std::int32_t> start_;
};

}  // namespace dragoman
