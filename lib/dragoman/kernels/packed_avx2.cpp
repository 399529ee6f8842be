#include "dragoman/kernels/packed_kernel.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "dragoman/kernels/packed_avx2.h"

namespace dragoman {

namespace {

/// Sums of float32, to which the bias is added.
struct Avx2Floats : Avx2 {
  using Sum = __m256;
  static constexpr int tile_rows = 6;
  static Sum begin(const PackedProduct&, std::int64_t) { return _mm256_setzero_ps(); }
  static __m256 finish(Sum sum, const PackedProduct& product, std::int64_t, std::int64_t column) {
    return _mm256_add_ps(sum, _mm256_loadu_ps(product.bias + column));
  }
};

struct Float32Dot : Avx2Floats {
  static void add(Sum& sum, Words a, Words b) {
    sum = _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), sum);
  }
};

/// The two bf16 of a word, each widened to float32.
struct Bf16Dot : Avx2Floats {
  static constexpr int tile_rows = 4;  // the widened factors need registers too
  static __m256 low(Words words) { return _mm256_castsi256_ps(_mm256_slli_epi32(words, 16)); }
  static __m256 high(Words words) {
    return _mm256_castsi256_ps(_mm256_and_si256(words, _mm256_set1_epi32(~0xFFFF)));
  }
  static void add(Sum& sum, Words a, Words b) {
    sum = _mm256_fmadd_ps(high(a), high(b), _mm256_fmadd_ps(low(a), low(b), sum));
  }
};

/// Four products of an unsigned and a signed byte, widened to 16 bits, since the instruction for
/// bytes (vpmaddubsw) saturates. Summed exactly.
struct Int8Dot : Avx2Integers {
  static constexpr int tile_rows = 4;
  static void add(Sum& sum, Words a, Words b) {
    const auto even_a = _mm256_and_si256(a, _mm256_set1_epi16(0xFF));
    const auto odd_a = _mm256_srli_epi16(a, 8);
    const auto even_b = _mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8);
    const auto odd_b = _mm256_srai_epi16(b, 8);
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(even_a, even_b));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(odd_a, odd_b));
  }
};

}  // namespace

PackedKernel avx2_kernel(WeightType type) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  switch (type) {
    case WeightType::float32: return multiply_panels<Float32Dot>;
    case WeightType::bf16: return multiply_panels<Bf16Dot>;
    case WeightType::int8: return multiply_panels<Int8Dot>;
  }
  return nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::avx2_kernel(WeightType) { return nullptr; }

#endif
