#pragma once

#include "dragoman/kernels/packed_tile.h"

#include <immintrin.h>

namespace dragoman {
namespace {

/// Vectors of 512 bits: 24 of the 32 registers hold sums.
struct Avx512 {
  using Words = __m512i;
  using Floats = __m512;
  static constexpr int lanes = 16, tile_vectors = 4, tile_rows = 6;

  static Words load(const std::int32_t* words) { return _mm512_loadu_si512(words); }
  static Floats read(const float* from) { return _mm512_loadu_ps(from); }
  static Words broadcast(std::int32_t word) { return _mm512_set1_epi32(word); }
  /// \param left columns of the matrix from here on
  static __mmask16 mask(std::int64_t left) {
    return static_cast<__mmask16>(left >= lanes ? 0xFFFF : left > 0 ? (1 << left) - 1 : 0);
  }
  static Floats load_floats(const float* from, std::int64_t left) {
    return _mm512_maskz_loadu_ps(mask(left), from);
  }
  static void store(float* to, std::int64_t left, Floats values) {
    _mm512_mask_storeu_ps(to, mask(left), values);
  }
};

/// Sums of float32.
struct Avx512Floats : Avx512 {
  using Sum = Floats;
  static Sum begin(const PackedProduct&, std::int64_t) { return _mm512_setzero_ps(); }
};

/// Sums of products of bytes.
struct Avx512Bytes : Avx512 {
  using Sum = __m512i;
  static Sum begin(const PackedProduct& product, std::int64_t column) {
    return _mm512_loadu_si512(product.start + column);
  }
  static Floats to_floats(Sum sum, const PackedProduct&, std::int64_t) {
    return __builtin_convertvector((__v16si)sum, Floats);
  }
};

}  // namespace
}  // namespace dragoman
