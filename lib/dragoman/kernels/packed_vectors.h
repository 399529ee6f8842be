#pragma once

#include "dragoman/kernels/packed_tile.h"

#include <cstring>

#if defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace dragoman {
namespace {

typedef float Floats __attribute__((vector_size(16)));
typedef std::int32_t Integers __attribute__((vector_size(16)));
typedef std::int16_t Shorts __attribute__((vector_size(16)));

/// Vectors of 128 bits in the compiler's own vector type, which SSE2 and NEON both have.
struct Vectors128 {
  using Words = Integers;
  using Floats = dragoman::Floats;
  static constexpr int lanes = 4;
#if defined(__aarch64__)
  static constexpr int tile_rows = 5, tile_vectors = 4;
#else
  static constexpr int tile_rows = 6, tile_vectors = 2;
#endif

  static Floats read(const float* from) {
    Floats values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
  static Words load(const std::int32_t* words) {
    Words values;
    std::memcpy(&values, words, sizeof values);
    return values;
  }
  static Words broadcast(std::int32_t word) { return Words{word, word, word, word}; }
  /// \param left columns of the matrix from here on
  static Floats load_floats(const float* from, std::int64_t left) {
    if (left >= lanes) return read(from);
    Floats values = {};
    if (left > 0) std::memcpy(&values, from, static_cast<std::size_t>(left) * sizeof(float));
    return values;
  }
  static void store(float* to, std::int64_t left, Floats values) {
    if (left >= lanes)
      std::memcpy(to, &values, sizeof values);
    else if (left > 0)
      std::memcpy(to, &values, static_cast<std::size_t>(left) * sizeof(float));
  }
};

/// Sums of float32.
struct Floats128 : Vectors128 {
  using Sum = Floats;
  static Sum begin(const PackedProduct&, std::int64_t) { return Sum{}; }
};

/// Sums of int32.
struct Integers128 : Vectors128 {
  using Sum = Integers;
  static Sum begin(const PackedProduct& product, std::int64_t column) {
    return load(product.start + column);
  }
  static Floats to_floats(Sum sum, const PackedProduct&, std::int64_t) {
    return __builtin_convertvector(sum, Floats);
  }
};

}  // namespace
}  // namespace dragoman
