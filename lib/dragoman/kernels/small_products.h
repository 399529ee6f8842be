#pragma once

#include <cstdint>
#include <cstring>

// Products of matrices with a few dozen rows, written with the compiler's vector types so that one
// source serves every instruction set. They are meant for functions marked DRAGOMAN_FOR_EACH_CPU
// and must be inlined into them to be compiled for the same processor.
#define DRAGOMAN_INLINE [[gnu::always_inline]] inline
#define DRAGOMAN_INLINE_LAMBDA __attribute__((always_inline))

namespace dragoman::small {

constexpr std::int64_t lanes = 16;
typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));
typedef std::int32_t Integers __attribute__((vector_size(lanes * sizeof(std::int32_t))));

/// The next multiple of a vector's length.
constexpr std::int64_t padded(std::int64_t n) { return (n + lanes - 1) / lanes * lanes; }

DRAGOMAN_INLINE void load(Vector& v, const float* from) { std::memcpy(&v, from, sizeof v); }
DRAGOMAN_INLINE void store(float* to, const Vector& v) { std::memcpy(to, &v, sizeof v); }

/// Each element combined with the one 8, 4, 2 and 1 further on: all become the result.
template <typename Combine>
DRAGOMAN_INLINE float reduced(Vector v, Combine combine) {
  static_assert(lanes == 16);
  v = combine(v,
              __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  v = combine(v,
              __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  v = combine(v,
              __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  v = combine(v,
              __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return v[0];
}

DRAGOMAN_INLINE float sum(const Vector& v) {
  return reduced(v, [](const Vector& a, const Vector& b) DRAGOMAN_INLINE_LAMBDA { return a + b; });
}

DRAGOMAN_INLINE float maximum(const Vector& v) {
  return reduced(
      v, [](const Vector& a, const Vector& b) DRAGOMAN_INLINE_LAMBDA { return a > b ? a : b; });
}

/// sums += a b, element by element. \param depth a multiple of `lanes`
DRAGOMAN_INLINE void add_products(Vector& sums, const float* a, const float* b,
                                  std::int64_t depth) {
  for (std::int64_t p = 0; p < depth; p += lanes) {
    Vector x, y;
    load(x, a + p);
    load(y, b + p);
    sums += x * y;
  }
}

/// The sum of each of `lanes` vectors, in order: halves are added until one vector is left.
DRAGOMAN_INLINE Vector sum_each(Vector (&v)[lanes]) {
  static_assert(lanes == 16);
  for (int i = 0; i < 8; ++i)
    v[i] = __builtin_shufflevector(v[i], v[i + 8], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21,
                                   22, 23) +
           __builtin_shufflevector(v[i], v[i + 8], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28,
                                   29, 30, 31);
  for (int i = 0; i < 4; ++i)
    v[i] = __builtin_shufflevector(v[i], v[i + 4], 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25,
                                   26, 27) +
           __builtin_shufflevector(v[i], v[i + 4], 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28,
                                   29, 30, 31);
  for (int i = 0; i < 2; ++i)
    v[i] = __builtin_shufflevector(v[i], v[i + 2], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13,
                                   28, 29) +
           __builtin_shufflevector(v[i], v[i + 2], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14,
                                   15, 30, 31);
  return __builtin_shufflevector(v[0], v[1], 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14,
                                 30) +
         __builtin_shufflevector(v[0], v[1], 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15,
                                 31);
}

/// exp(x) for x <= 0, relative error below 3e-7; exactly 0 below -87.
DRAGOMAN_INLINE void exponential(Vector& x) {
  const Vector bounded = x < -87.0F ? Vector{} - 87.0F : x;
  const Integers n = __builtin_convertvector(bounded * 1.44269504F - 0.5F, Integers);
  const Vector whole = __builtin_convertvector(n, Vector);
  const Vector r = (bounded - whole * 0.693359375F) + whole * 2.12194440e-4F;  // ln 2, in two parts
  Vector p = r * (1.0F / 720.0F) + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  const Integers exponent = (n + 127) << 23;
  Vector power;
  std::memcpy(&power, &exponent, sizeof power);
  x = x < -87.0F ? Vector{} : p * power;
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

template <int tile_rows, int tile_vectors>
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
template <int tile_rows, int tile_vectors>
DRAGOMAN_INLINE std::int64_t multiply_rows(const Elements& a, const Rows& b, const MutableRows& c,
                                           std::int64_t first, std::int64_t rows,
                                           std::int64_t depth) {
  for (; first + tile_rows <= rows; first += tile_rows)
    multiply_tile<tile_rows, tile_vectors>({a.data + first * a.row, a.row, a.column}, b,
                                           {c.data + first * c.row, c.row}, depth);
  return first;
}

template <int tile_vectors>
DRAGOMAN_INLINE void multiply_columns(const Elements& a, const Rows& b, const MutableRows& c,
                                      std::int64_t rows, std::int64_t depth) {
  std::int64_t i = multiply_rows<6, tile_vectors>(a, b, c, 0, rows, depth);
  i = multiply_rows<4, tile_vectors>(a, b, c, i, rows, depth);
  i = multiply_rows<2, tile_vectors>(a, b, c, i, rows, depth);
  multiply_rows<1, tile_vectors>(a, b, c, i, rows, depth);
}

/// c = a b. \param columns of b and c, a multiple of `lanes`
DRAGOMAN_INLINE void multiply(const Elements& a, const Rows& b, const MutableRows& c,
                              std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  std::int64_t j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes)
    multiply_columns<2>(a, {b.data + j, b.row}, {c.data + j, c.row}, rows, depth);
  if (j < columns) multiply_columns<1>(a, {b.data + j, b.row}, {c.data + j, c.row}, rows, depth);
}

/// to(j, i) = from(i, j), with zeros in the columns from `rows` up to `padded(rows)`.
/// \param to rows of `padded(rows)` elements
DRAGOMAN_INLINE void transpose(const Rows& from, float* to, std::int64_t rows,
                               std::int64_t columns) {
  const auto width = padded(rows);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) to[j * width + i] = from.data[i * from.row + j];
    for (std::int64_t i = rows; i < width; ++i) to[j * width + i] = 0.0F;
  }
}

}  // namespace dragoman::small
