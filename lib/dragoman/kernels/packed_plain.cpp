#include "dragoman/core/simd.h"
#include "dragoman/kernels/packed_kernel.h"

#include <bit>

// The same computation as the AVX-512 loops, for other processors and as their reference.
namespace dragoman {

namespace {

struct Word {
  std::uint32_t bits;

  std::int32_t signed_byte(int i) const { return static_cast<std::int8_t>(bits >> (8 * i)); }
  std::int32_t byte(int i) const { return static_cast<std::uint8_t>(bits >> (8 * i)); }
  float low_bf16() const { return std::bit_cast<float>(bits << 16U); }
  float high_bf16() const { return std::bit_cast<float>(bits & 0xFFFF0000U); }
};

Word word_of(std::int32_t bits) { return {static_cast<std::uint32_t>(bits)}; }

/// A row's part of one panel. `add(sums, word of a, words of b)` for each word of the depth.
template <typename Sum, typename Add>
void sum_row(const PackedProduct& product, std::int64_t row, std::int64_t panel, Sum* sums,
             Add add) {
  const auto* a = product.a + row * product.depth;
  const auto* b = product.b + panel * panel_columns * product.depth;
  for (std::int64_t p = 0; p < product.depth; ++p)
    for (std::int64_t j = 0; j < panel_columns; ++j)
      sums[j] = add(sums[j], word_of(a[p]), word_of(b[p * panel_columns + j]));
}

/// Writes one value of the product, with the bias included.
void write(const PackedProduct& product, std::int64_t row, std::int64_t column, float value) {
  const auto place = row * product.columns + column;
  if (product.relu) value = value < 0.0F ? 0.0F : value;
  product.c[place] = product.residual == nullptr ? value : value + product.residual[place];
}

template <typename Add>
void multiply_floats(const PackedProduct& product, std::int64_t first, std::int64_t last, Add add) {
  for (std::int64_t panel = first; panel < last; ++panel)
    for (std::int64_t row = 0; row < product.rows; ++row) {
      float sums[panel_columns] = {};
      sum_row(product, row, panel, sums, add);
      for (std::int64_t j = 0, column = panel * panel_columns;
           j < panel_columns && column < product.columns; ++j, ++column)
        write(product, row, column, sums[j] + product.bias[column]);
    }
}

}  // namespace

DRAGOMAN_FOR_EACH_CPU
void multiply_float32(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  multiply_floats(product, first, last, [](float sum, Word a, Word b) {
    return sum + std::bit_cast<float>(a.bits) * std::bit_cast<float>(b.bits);
  });
}

DRAGOMAN_FOR_EACH_CPU
void multiply_bf16(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  multiply_floats(product, first, last, [](float sum, Word a, Word b) {
    return sum + a.low_bf16() * b.low_bf16() + a.high_bf16() * b.high_bf16();
  });
}

DRAGOMAN_FOR_EACH_CPU
void multiply_int8(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  for (std::int64_t panel = first; panel < last; ++panel)
    for (std::int64_t row = 0; row < product.rows; ++row) {
      std::int32_t sums[panel_columns];
      for (std::int64_t j = 0; j < panel_columns; ++j)
        sums[j] = product.start[panel * panel_columns + j];
      sum_row(product, row, panel, sums, [](std::int32_t sum, Word a, Word b) {
        for (int i = 0; i < 4; ++i) sum += a.byte(i) * b.signed_byte(i);
        return sum;
      });
      for (std::int64_t j = 0, column = panel * panel_columns;
           j < panel_columns && column < product.columns; ++j, ++column)
        write(
            product, row, column,
            static_cast<float>(sums[j]) * (product.row_scale[row] * product.column_scale[column]) +
                product.bias[column]);
    }
}

}  // namespace dragoman
