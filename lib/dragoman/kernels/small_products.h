#pragma once

#include "dragoman/kernels/small_vector.h"

#include <cstdint>

// Products of matrices with a few dozen rows. `Vector` is a small::Vector<width>.
namespace dragoman::small {

/// sums += a b, element by element. \param depth a multiple of `lanes`
template <typename Vector>
DRAGOMAN_INLINE void add_products(Vector& sums, const float* a, const float* b,
                                  std::int64_t depth) {
  for (std::int64_t p = 0; p < depth; p += lanes) {
    Vector x, y;
    load(x, a + p);
    load(y, b + p);
    sums += x * y;
  }
}

/// A matrix read element by element: (i, p) is at data[i * row + p * column].
struct Elements {
  const float* data;
  std::int64_t row, column;
};

/// A matrix whose rows are read as vectors: (p, j) is at data[p * row + j].
struct Rows {
  const float* data;
  std::int64_t row;
};

struct MutableRows {
  float* data;
  std::int64_t row;
};

template <typename Vector, int tile_rows, int tile_vectors>
DRAGOMAN_INLINE void multiply_tile(const Elements& a, const Rows& b, const MutableRows& c,
                                   std::int64_t depth) {
  Vector sums[tile_rows][tile_vectors] = {};
  for (std::int64_t p = 0; p < depth; ++p) {
    Vector columns[tile_vectors];
    for (int v = 0; v < tile_vectors; ++v) load(columns[v], b.data + p * b.row + v * lanes);
    for (int r = 0; r < tile_rows; ++r)
      for (int v = 0; v < tile_vectors; ++v)
        sums[r][v] += columns[v] * a.data[r * a.row + p * a.column];
  }
  for (int r = 0; r < tile_rows; ++r)
    for (int v = 0; v < tile_vectors; ++v) store(c.data + r * c.row + v * lanes, sums[r][v]);
}

/// Whole tiles from row `first` on. \return the row after them
template <typename Vector, int tile_rows, int tile_vectors>
DRAGOMAN_INLINE std::int64_t multiply_rows(const Elements& a, const Rows& b, const MutableRows& c,
                                           std::int64_t first, std::int64_t rows,
                                           std::int64_t depth) {
  for (; first + tile_rows <= rows; first += tile_rows)
    multiply_tile<Vector, tile_rows, tile_vectors>({a.data + first * a.row, a.row, a.column}, b,
                                                   {c.data + first * c.row, c.row}, depth);
  return first;
}

template <typename Vector, int tile_vectors>
DRAGOMAN_INLINE void multiply_columns(const Elements& a, const Rows& b, const MutableRows& c,
                                      std::int64_t rows, std::int64_t depth) {
  constexpr int tile_rows = Vector::parts == 4 ? 3 : 6;  // so that the sums stay in registers
  auto i = multiply_rows<Vector, tile_rows, tile_vectors>(a, b, c, 0, rows, depth);
  if constexpr (tile_rows > 4) i = multiply_rows<Vector, 4, tile_vectors>(a, b, c, i, rows, depth);
  i = multiply_rows<Vector, 2, tile_vectors>(a, b, c, i, rows, depth);
  multiply_rows<Vector, 1, tile_vectors>(a, b, c, i, rows, depth);
}

/// c = a b. \param columns of b and c, a multiple of `lanes`
template <typename Vector>
DRAGOMAN_INLINE void multiply(const Elements& a, const Rows& b, const MutableRows& c,
                              std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  std::int64_t j = 0;
  constexpr int vectors = Vector::parts == 1 ? 2 : 1;
  for (; j + vectors * lanes <= columns; j += vectors * lanes)
    multiply_columns<Vector, vectors>(a, {b.data + j, b.row}, {c.data + j, c.row}, rows, depth);
  if (j < columns)
    multiply_columns<Vector, 1>(a, {b.data + j, b.row}, {c.data + j, c.row}, rows, depth);
}

/// to(j, i) = from(i, j), with zeros in the columns from `rows` up to `padded(rows)`.
/// \param to rows of `padded(rows)` elements
DRAGOMAN_INLINE void transpose(const Rows& from, float* to, std::int64_t rows,
                               std::int64_t columns) {
  const auto width = padded(rows);
  // A few columns at a time, so that each line of the cache is read once.
  for (std::int64_t first = 0; first < columns; first += lanes) {
    const auto last = first + lanes < columns ? first + lanes : columns;
    for (std::int64_t i = 0; i < rows; ++i)
      for (auto j = first; j < last; ++j) to[j * width + i] = from.data[i * from.row + j];
    for (auto j = first; j < last; ++j)
      for (std::int64_t i = rows; i < width; ++i) to[j * width + i] = 0.0F;
  }
}

}  // namespace dragoman::small
