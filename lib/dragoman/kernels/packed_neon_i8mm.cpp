#include "dragoman/kernels/packed_kernel.h"

#if defined(__ARM_FEATURE_MATMUL_INT8) && defined(__linux__)

#include "dragoman/kernels/packed_vectors.h"

#include <asm/hwcap.h>
#include <sys/auxv.h>

namespace dragoman {

namespace {

// One instruction multiplies two rows by two columns, 8 bytes (two words) deep; its four results
// are one vector. The words of two columns lie apart in a panel and are brought together when they
// are read, once for all rows of a tile.
using Dot = Integers128;
constexpr int tile_columns = 8, column_pairs = tile_columns / 2;

struct ColumnPairs {
  int8x16_t pair[column_pairs];
};

/// Two words of each column; the second is `more` panel rows further on.
ColumnPairs load_columns(const std::int32_t* words, std::int64_t more) {
  ColumnPairs columns;
#pragma GCC unroll 8
  for (int v = 0; v < tile_columns / Dot::lanes; ++v) {
    const auto first = vld1q_s32(words + v * Dot::lanes);
    const auto second = vld1q_s32(words + more * panel_columns + v * Dot::lanes);
    columns.pair[2 * v] = vreinterpretq_s8_s32(vzip1q_s32(first, second));
    columns.pair[2 * v + 1] = vreinterpretq_s8_s32(vzip2q_s32(first, second));
  }
  return columns;
}

uint8x16_t both(int32x2_t first_row, int32x2_t second_row) {
  return vreinterpretq_u8_s32(vcombine_s32(first_row, second_row));
}

/// The sums of `pairs` pairs of rows; a last row without a partner is its own.
template <int pairs>
struct Tile {
  int32x4_t sums[pairs][column_pairs];
  const std::int32_t* rows[2 * pairs];

  Tile(const PackedProduct& product, std::int64_t row, std::int64_t column) {
#pragma GCC unroll 8
    for (int r = 0; r < 2 * pairs; ++r)
      rows[r] = product.a + std::min(row + r, product.rows - 1) * product.depth;
#pragma GCC unroll 8
    for (int c = 0; c < column_pairs; ++c) {
      const auto start = vld1_s32(product.start + column + 2 * c);
#pragma GCC unroll 8
      for (int r = 0; r < pairs; ++r) sums[r][c] = vcombine_s32(start, start);
    }
  }

  void add(int r, uint8x16_t two_rows, const ColumnPairs& columns) {
#pragma GCC unroll 8
    for (int c = 0; c < column_pairs; ++c)
      sums[r][c] = vusmmlaq_s32(sums[r][c], two_rows, columns.pair[c]);
  }

  /// \param b the panel's words from the tile's first column on
  void add_products(const std::int32_t* b, std::int64_t depth) {
    std::int64_t p = 0;
    for (; p + 2 <= depth; p += 2) {
      const auto columns = load_columns(b + p * panel_columns, 1);
#pragma GCC unroll 8
      for (int r = 0; r < pairs; ++r)
        add(r, both(vld1_s32(rows[2 * r] + p), vld1_s32(rows[2 * r + 1] + p)), columns);
    }
    if (p == depth) return;
    // The last word, once; what it is beside is multiplied by 0.
    const auto columns = load_columns(b + p * panel_columns, 0);
#pragma GCC unroll 8
    for (int r = 0; r < pairs; ++r)
      add(r, both(int32x2_t{rows[2 * r][p], 0}, int32x2_t{rows[2 * r + 1][p], 0}), columns);
  }

  void write(const PackedProduct& product, std::int64_t row, std::int64_t column) const {
#pragma GCC unroll 8
    for (int v = 0; v < tile_columns / Dot::lanes; ++v) {
      const Results<Dot> results(product, column + v * Dot::lanes);
#pragma GCC unroll 8
      for (int r = 0; r < pairs; ++r) {
        const auto left = vreinterpretq_s64_s32(sums[r][2 * v]),
                   right = vreinterpretq_s64_s32(sums[r][2 * v + 1]);
        results.write(row + 2 * r, (Integers)vzip1q_s64(left, right));
        if (row + 2 * r + 1 < product.rows)
          results.write(row + 2 * r + 1, (Integers)vzip2q_s64(left, right));
      }
    }
  }
};

template <int pairs>
void multiply_pairs(const PackedProduct& product, std::int64_t row, std::int64_t column) {
  const auto within = column % panel_columns;
  Tile<pairs> tile(product, row, column);
  tile.add_products(product.b + (column - within) * product.depth + within, product.depth);
  tile.write(product, row, column);
}

void multiply_i8mm(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  // A single row would be half of each instruction's work.
  if (product.rows == 1 || product.sparse.words != nullptr)
    return neon_dotprod_kernel()(product, first, last);
  for (std::int64_t column = first * panel_columns;
       column < last * panel_columns && column < product.columns; column += tile_columns) {
    std::int64_t row = 0;
    for (; row + 6 < product.rows; row += 8) multiply_pairs<4>(product, row, column);
    switch ((product.rows - row + 1) / 2) {
      case 3: multiply_pairs<3>(product, row, column); break;
      case 2: multiply_pairs<2>(product, row, column); break;
      case 1: multiply_pairs<1>(product, row, column); break;
      default: break;
    }
  }
}

}  // namespace

PackedKernel neon_i8mm_kernel() {
  const bool has_i8mm = (::getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
  return has_i8mm && neon_dotprod_kernel() != nullptr ? multiply_i8mm : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::neon_i8mm_kernel() { return nullptr; }

#endif
