#include "dragoman/kernels/packed_kernel.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "dragoman/kernels/packed_avx2.h"

namespace dragoman {

namespace {

/// Sums of float32.
struct Avx2Floats : Avx2 {
  using Sum = Floats;
  static constexpr int tile_rows = 6;
  static Sum begin(const PackedProduct&, std::int64_t) { return _mm256_setzero_ps(); }
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

/// Four products of signed bytes, summed exactly: for an unsigned byte up to 255, the instruction
/// for bytes (vpmaddubsw) would saturate, so that it gets magnitudes of a, and b with the signs of
/// a. With bytes of b inverted where a < 0, as ~b = -b - 1, each such product lacks |a|, which is
/// added at the end; vpsignb, which negates, would compete with the multiplications for execution
/// units.
struct Int8Dot : Avx2Integers {
  static constexpr int tile_rows = 1,
                       tile_vectors = 8;  // a word's magnitudes are taken once for all
  struct SignedBytes {
    Words magnitudes, negative;
  };
  static SignedBytes broadcast(std::int32_t word) {
    const auto values = _mm256_xor_si256(_mm256_set1_epi32(word), _mm256_set1_epi8(-128));
    return {_mm256_abs_epi8(values), _mm256_cmpgt_epi8(_mm256_setzero_si256(), values)};
  }
  static Sum begin(const PackedProduct&, std::int64_t) { return _mm256_setzero_si256(); }
  static void add(Sum& sum, const SignedBytes& a, Words b) {
    const auto pairs = _mm256_maddubs_epi16(a.magnitudes, _mm256_xor_si256(b, a.negative));
    // As _mm256_add_epi32, for which GCC 12 copies each sum twice.
    asm("vpaddd %1, %0, %0" : "+x"(sum) : "x"(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
  }
  static Floats to_floats(Sum sum, const PackedProduct& product, std::int64_t row) {
    const auto lacking = _mm256_set1_epi32(product.row_negatives[row]);
    return _mm256_cvtepi32_ps(_mm256_add_epi32(sum, lacking));
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
