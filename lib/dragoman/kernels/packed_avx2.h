#pragma once

#include "dragoman/kernels/packed_tile.h"

#include <immintrin.h>

#include <algorithm>

namespace dragoman {
namespace {

/// Vectors of 256 bits: at most 12 of the 16 registers hold sums.
struct Avx2 {
  using Words = __m256i;
  static constexpr int lanes = 8, tile_vectors = 2;

  static Words load(const std::int32_t* words) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  }
  static Words broadcast(std::int32_t word) { return _mm256_set1_epi32(word); }
  /// \param left columns of the matrix from here on
  static __m256i mask(std::int64_t left) {
    const auto columns = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const auto end = _mm256_set1_epi32(static_cast<int>(std::clamp<std::int64_t>(left, 0, lanes)));
    return _mm256_cmpgt_epi32(end, columns);
  }
  static __m256 load_floats(const float* from, std::int64_t left) {
    return left >= lanes ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, mask(left));
  }
  static void store(float* to, std::int64_t left, __m256 values) {
    if (left >= lanes)
      _mm256_storeu_ps(to, values);
    else
      _mm256_maskstore_ps(to, mask(left), values);  // slow on AMD's processors
  }
};

/// Sums of int32, scaled at the end.
struct Avx2Integers : Avx2 {
  using Sum = __m256i;
  static Sum begin(const PackedProduct& product, std::int64_t column) {
    return load(product.start + column);
  }
  struct Columns {
    __m256 scale, bias;
  };
  static Columns columns(const PackedProduct& product, std::int64_t column) {
    return {_mm256_loadu_ps(product.column_scale + column), _mm256_loadu_ps(product.bias + column)};
  }
  static __m256 finish(Sum sum, const Columns& columns, const PackedProduct& product,
                       std::int64_t row) {
    const auto scale = _mm256_mul_ps(_mm256_set1_ps(product.row_scale[row]), columns.scale);
    return _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale), columns.bias);
  }
};

}  // namespace
}  // namespace dragoman
