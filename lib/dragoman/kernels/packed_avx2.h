#pragma once

#include "dragoman/kernels/packed_tile.h"

#include <immintrin.h>

#include <algorithm>

namespace dragoman {
namespace {

/// Vectors of 256 bits: at most 12 of the 16 registers hold sums.
struct Avx2 {
  using Words = __m256i;
  using Floats = __m256;
  static constexpr int lanes = 8, tile_vectors = 2;

  static Words load(const std::int32_t* words) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  }
  static Floats read(const float* from) { return _mm256_loadu_ps(from); }
  static Words broadcast(std::int32_t word) { return _mm256_set1_epi32(word); }
  /// \param left columns of the matrix from here on
  static __m256i mask(std::int64_t left) {
    const auto columns = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const auto end = _mm256_set1_epi32(static_cast<int>(std::clamp<std::int64_t>(left, 0, lanes)));
    return _mm256_cmpgt_epi32(end, columns);
  }
  static Floats load_floats(const float* from, std::int64_t left) {
    return left >= lanes ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, mask(left));
  }
  static void store(float* to, std::int64_t left, Floats values) {
    if (left >= lanes)
      _mm256_storeu_ps(to, values);
    else
      _mm256_maskstore_ps(to, mask(left), values);  // slow on AMD's processors
  }
};

/// Sums of int32.
struct Avx2Integers : Avx2 {
  using Sum = __m256i;
  static Sum begin(const PackedProduct& product, std::int64_t column) {
    return load(product.start + column);
  }
  static Floats to_floats(Sum sum, const PackedProduct&, std::int64_t) {
    return _mm256_cvtepi32_ps(sum);
  }
};

}  // namespace
}  // namespace dragoman
