#pragma once

#include "dragoman/tensor/packed_kernel.h"

#include <immintrin.h>

// The loops of a packed product in AVX-512. Each file that includes this is compiled for the
// instructions it names; everything here has internal linkage, so that these instructions cannot
// leak into other files.
namespace dragoman {
namespace {

constexpr int tile_rows = 6;
constexpr int panel_vectors = panel_columns / 16;

/// Mask of the first `left` of 16 columns.
inline __mmask16 first_columns(std::int64_t left) {
  return static_cast<__mmask16>(left >= 16 ? 0xFFFF : left > 0 ? (1 << left) - 1 : 0);
}

/// One tile of `rows` x panel_columns. `Dot` defines what a word is: its `Sum`, `begin`, `add` and
/// `finish`. All loops except the one over the depth are unrolled, so that the sums stay in
/// registers.
template <typename Dot, int rows>
void multiply_tile(const PackedProduct& product, std::int64_t row, std::int64_t panel) {
  typename Dot::Sum sums[rows][panel_vectors];
  const auto column = panel * panel_columns;
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < panel_vectors; ++v) sums[r][v] = Dot::begin(product, column + v * 16);
  const auto* a = product.a + row * product.depth;
  const auto* b = product.b + column * product.depth;
  for (std::int64_t p = 0; p < product.depth; ++p) {
    __m512i words[panel_vectors];
#pragma GCC unroll 8
    for (int v = 0; v < panel_vectors; ++v)
      words[v] = _mm512_loadu_si512(b + p * panel_columns + v * 16);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const auto word = _mm512_set1_epi32(a[r * product.depth + p]);
#pragma GCC unroll 8
      for (int v = 0; v < panel_vectors; ++v) Dot::add(sums[r][v], word, words[v]);
    }
  }
  const auto left = product.columns - column;
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < panel_vectors; ++v)
      _mm512_mask_storeu_ps(product.c + (row + r) * product.columns + column + v * 16,
                            first_columns(left - v * 16),
                            Dot::finish(sums[r][v], product, row + r, column + v * 16));
}

/// The rows that remain after the full tiles.
template <typename Dot>
void multiply_last_rows(const PackedProduct& product, std::int64_t row, std::int64_t panel) {
  switch (product.rows - row) {
    case 5: return multiply_tile<Dot, 5>(product, row, panel);
    case 4: return multiply_tile<Dot, 4>(product, row, panel);
    case 3: return multiply_tile<Dot, 3>(product, row, panel);
    case 2: return multiply_tile<Dot, 2>(product, row, panel);
    case 1: return multiply_tile<Dot, 1>(product, row, panel);
    default: return;
  }
}

/// A panel stays in the L1 cache while all rows are processed.
template <typename Dot>
void multiply_panels(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  for (std::int64_t panel = first; panel < last; ++panel) {
    std::int64_t row = 0;
    for (; row + tile_rows <= product.rows; row += tile_rows)
      multiply_tile<Dot, tile_rows>(product, row, panel);
    multiply_last_rows<Dot>(product, row, panel);
  }
}

}  // namespace
}  // namespace dragoman
