#pragma once

#include "dragoman/kernels/packed_kernel.h"

#include <bit>
#include <cstdint>

namespace test {

/// Number i of a word of a packed product: a float32 (i = 0), one of two bf16, or a signed byte.
inline float number_in(std::int32_t word, int i, dragoman::WeightType type) {
  const auto bits = static_cast<std::uint32_t>(word);
  switch (type) {
    case dragoman::WeightType::float32: return std::bit_cast<float>(bits);
    case dragoman::WeightType::bf16:
      return std::bit_cast<float>(i == 0 ? bits << 16U : bits & 0xFFFF0000U);
    case dragoman::WeightType::int8: break;
  }
  return static_cast<std::int8_t>(bits >> (8U * static_cast<unsigned>(i)));
}

/// One element of a packed product of float32 or bf16 without its bias, number by number.
inline float sum_of_products(const dragoman::PackedProduct& product, dragoman::WeightType type,
                             const std::int32_t* a, const std::int32_t* b) {
  float sum = 0.0F;
  for (std::int64_t p = 0; p < product.depth; ++p)
    for (int i = 0; i < (type == dragoman::WeightType::bf16 ? 2 : 1); ++i)
      sum += number_in(a[p], i, type) * number_in(b[p * dragoman::panel_columns], i, type);
  return sum;
}

/// The same for int8: unsigned times signed bytes, summed exactly from `start` on.
inline std::int32_t sum_of_bytes(const dragoman::PackedProduct& product, std::int32_t start,
                                 const std::int32_t* a, const std::int32_t* b) {
  std::int32_t sum = start;
  for (std::int64_t p = 0; p < product.depth; ++p)
    for (unsigned shift = 0; shift < 32; shift += 8)
      sum += static_cast<std::uint8_t>(a[p] >> shift) *
             static_cast<std::int8_t>(b[p * dragoman::panel_columns] >> shift);
  return sum;
}

/// What the loops of every instruction set are to compute, one element after the other.
inline void multiply_plainly(const dragoman::PackedProduct& product, dragoman::WeightType type) {
  for (std::int64_t row = 0; row < product.rows; ++row)
    for (std::int64_t column = 0; column < product.columns; ++column) {
      const auto within = column % dragoman::panel_columns;
      const auto* a = product.a + row * product.depth;
      const auto* b = product.b + (column - within) * product.depth + within;
      // Volatile: not fused with the addition of the bias.
      volatile float value =
          type == dragoman::WeightType::int8
              ? static_cast<float>(sum_of_bytes(product, product.start[column], a, b)) *
                    (product.row_scale[row] * product.column_scale[column])
              : sum_of_products(product, type, a, b);
      float result = value + product.bias[column];
      if (product.relu && result < 0.0F) result = 0.0F;
      const auto place = row * product.columns + column;
      product.c[place] = product.residual == nullptr ? result : result + product.residual[place];
    }
}

}  // namespace test
