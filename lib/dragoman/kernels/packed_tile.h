#pragma once

#include "dragoman/kernels/packed_kernel.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

// The loops of a packed product for any vector instructions. Each file that includes this is
// compiled for the instructions it names; everything here has internal linkage, so that these
// instructions cannot leak into other files.
//
// A `Dot` defines the vectors (`Words` and `Floats`, `lanes` columns of 32 bits; `load`, `read`,
// `broadcast`, `load_floats`, `store`), how large a tile's sums are so that they stay in registers
// (`tile_rows` x `tile_vectors`), and what a word is: its `Sum`, `begin` and `add`, and `to_floats`
// where the sums are integers.
namespace dragoman {
namespace {

/// What becomes of the sums in a vector's columns, from `column` on.
template <typename Dot>
class Results {
 public:
  [[gnu::always_inline]] Results(const PackedProduct& product, std::int64_t column)
      : product_(product), column_(column), bias_(Dot::read(product.bias + column)) {
    if constexpr (has_scales) scale_ = Dot::read(product.column_scale + column);
  }

  [[gnu::always_inline]] void write(std::int64_t row, typename Dot::Sum sums) const {
    const auto place = row * product_.columns + column_;
    const auto left = product_.columns - column_;
    Floats values;
    if constexpr (has_scales)
      values = Dot::to_floats(sums, product_, row) * (scale_ * product_.row_scale[row]) + bias_;
    else
      values = sums + bias_;
    if (product_.relu) values = values < 0.0F ? Floats{} : values;
    if (product_.residual != nullptr) values += Dot::load_floats(product_.residual + place, left);
    Dot::store(product_.c + place, left, values);
  }

 private:
  using Floats = typename Dot::Floats;
  // Integer sums are those of int8.
  static constexpr bool has_scales = !std::is_same_v<typename Dot::Sum, Floats>;

  const PackedProduct& product_;
  std::int64_t column_;
  Floats bias_, scale_ = {};
};

/// One tile of `rows` rows, from `column` on. All loops except the one over the depth are unrolled.
template <typename Dot, int rows, int vectors = Dot::tile_vectors>
void multiply_tile(const PackedProduct& product, std::int64_t row, std::int64_t column) {
  typename Dot::Sum sums[rows][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sums[r][v] = Dot::begin(product, column + v * Dot::lanes);
  const auto* a = product.a + row * product.depth;
  const auto within = column % panel_columns;
  const auto* b = product.b + (column - within) * product.depth + within;
  for (std::int64_t p = 0; p < product.depth; ++p) {
    typename Dot::Words words[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) words[v] = Dot::load(b + p * panel_columns + v * Dot::lanes);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const auto word = Dot::broadcast(a[r * product.depth + p]);
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) Dot::add(sums[r][v], word, words[v]);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    const Results<Dot> results(product, column + v * Dot::lanes);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) results.write(row + r, sums[r][v]);
  }
}

/// The rows that remain after the full tiles. \tparam most rows that can remain
template <typename Dot, int most = Dot::tile_rows - 1>
void multiply_last_rows(const PackedProduct& product, std::int64_t row, std::int64_t column) {
  if constexpr (most > 0) {
    if (product.rows - row == most) return multiply_tile<Dot, most>(product, row, column);
    multiply_last_rows<Dot, most - 1>(product, row, column);
  }
}

/// All of a product with very few rows: in wider tiles, since each sum waits for its last addition.
template <typename Dot, int rows>
void multiply_few_rows(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  constexpr int vectors =
      std::max(Dot::tile_vectors, std::min<int>(8, panel_columns / Dot::lanes) / rows);
  for (std::int64_t column = first * panel_columns;
       column < last * panel_columns && column < product.columns; column += vectors * Dot::lanes)
    multiply_tile<Dot, rows, vectors>(product, 0, column);
}

/// A word of a sparse row, whose bytes are unsigned and signed at once.
template <typename Dot>
[[gnu::always_inline]] inline auto broadcast_sparse(std::int32_t word) {
  if constexpr (requires { Dot::broadcast_signed(word); })
    return Dot::broadcast_signed(word);
  else
    return Dot::broadcast(word);
}

/// One sparse row, from `column` on, in one or two panels.
template <typename Dot, int vectors>
void multiply_sparse_row(const PackedProduct& product, std::int64_t row, std::int64_t column) {
  typename Dot::Sum sums[vectors] = {};
  const auto* words = product.sparse.words + row * product.depth;
  const auto* places = product.sparse.places + row * product.depth;
  const auto within = column % panel_columns, panel = product.depth * panel_columns;
  const auto* b = product.b + (column - within) * product.depth + within;
  const std::int64_t count = product.sparse.counts[row];
  for (std::int64_t i = 0; i < count; ++i) {
    const auto word = broadcast_sparse<Dot>(words[i]);
    const auto* columns = b + places[i] * panel_columns;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v)
      Dot::add(sums[v], word,
               Dot::load(columns + v * Dot::lanes / panel_columns * panel +
                         v * Dot::lanes % panel_columns));
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v)
    Results<Dot>(product, column + v * Dot::lanes).write(row, sums[v]);
}

/// All of a product with sparse rows, of which each reads other words of `b`: one row at a time, in
/// as many columns that their sums need not wait for each other.
template <typename Dot>
void multiply_sparse_rows(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  constexpr int vectors = 8, in_panel = std::min<int>(vectors, panel_columns / Dot::lanes);
  const auto end = std::min(last * panel_columns, product.columns);
  for (std::int64_t column = first * panel_columns; column < end;) {
    const bool wide = column + vectors * Dot::lanes <= last * panel_columns;
    for (std::int64_t row = 0; row < product.rows; ++row)
      if (wide)
        multiply_sparse_row<Dot, vectors>(product, row, column);
      else
        multiply_sparse_row<Dot, in_panel>(product, row, column);
    column += (wide ? vectors : in_panel) * Dot::lanes;
  }
}

/// All rows of one part of a panel after the other, so that the part stays in the nearest caches.
template <typename Dot>
void multiply_panels(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  if (product.sparse.words != nullptr) return multiply_sparse_rows<Dot>(product, first, last);
  if (product.rows == 1) return multiply_few_rows<Dot, 1>(product, first, last);
  if constexpr (Dot::tile_rows > 1)
    if (product.rows == 2) return multiply_few_rows<Dot, 2>(product, first, last);
  constexpr std::int64_t tile_columns = std::int64_t{Dot::tile_vectors} * Dot::lanes;
  for (std::int64_t column = first * panel_columns;
       column < last * panel_columns && column < product.columns; column += tile_columns) {
    std::int64_t row = 0;
    for (; row + Dot::tile_rows <= product.rows; row += Dot::tile_rows)
      multiply_tile<Dot, Dot::tile_rows>(product, row, column);
    multiply_last_rows<Dot>(product, row, column);
  }
}

}  // namespace
}  // namespace dragoman
