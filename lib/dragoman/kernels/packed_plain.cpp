#include "dragoman/kernels/packed_kernel.h"
#include "dragoman/kernels/packed_vectors.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dragoman {

namespace {

/// sum + a b, in one instruction where every processor of the architecture has it.
Floats multiply_add(Floats a, Floats b, Floats sum) {
#if defined(__aarch64__)
  return vfmaq_f32(sum, a, b);
#else
  return sum + a * b;
#endif
}

/// Adds the products of neighbours, each of which must fit into 16 bits.
Integers add_pairs(Integers sum, Shorts a, Shorts b) {
#if defined(__SSE2__)
  return sum + (Integers)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif defined(__ARM_NEON)
  return vpadalq_s16(sum, a * b);
#else
  const auto products = (Integers)(a * b);
  return sum + (products << 16 >> 16) + (products >> 16);
#endif
}

/// Copies of a word that compilers cannot see through: GCC 12 would shift and mask the word before
/// it copies it, and move each result from an integer register, which is slow.
Integers opaque_copies(std::int32_t word) {
  auto words = Vectors128::broadcast(word);
#if defined(__SSE2__)
  asm("" : "+x"(words));
#elif defined(__aarch64__)
  asm("" : "+w"(words));
#endif
  return words;
}

struct PlainFloat32 : Floats128 {
  static void add(Sum& sum, Words a, Words b) { sum = multiply_add((Floats)a, (Floats)b, sum); }
};

/// The two bf16 of a word, each widened to float32.
struct PlainBf16 : Floats128 {
  static constexpr int tile_rows = 4;  // the widened factors need registers too
  static Words broadcast(std::int32_t word) { return opaque_copies(word); }
  static Floats low(Words words) { return (Floats)(words << 16); }
  static Floats high(Words words) { return (Floats)(words & ~0xFFFF); }
  static void add(Sum& sum, Words a, Words b) {
    sum = multiply_add(high(a), high(b), multiply_add(low(a), low(b), sum));
  }
};

/// Four products of an unsigned and a signed byte, widened to 16 bits, into which each product
/// fits.
struct PlainInt8 : Integers128 {
  static constexpr int tile_rows = 4;
  static Words broadcast(std::int32_t word) { return opaque_copies(word); }
  static void add(Sum& sum, Words a, Words b) {
    const auto even_a = (Shorts)(a & 0x00FF00FF), odd_a = (Shorts)(a >> 8 & 0x00FF00FF);
    const auto even_b = (Shorts)b << 8 >> 8, odd_b = (Shorts)b >> 8;
    sum = add_pairs(add_pairs(sum, even_a, even_b), odd_a, odd_b);
  }
};

#if defined(__SSE2__)
constexpr const char* plain_name = "SSE2";
#elif defined(__ARM_NEON)
constexpr const char* plain_name = "NEON";
#else
constexpr const char* plain_name = "plain vectors";
#endif

}  // namespace

PackedLoops plain_loops(WeightType type) {
  switch (type) {
    case WeightType::float32: return {plain_name, multiply_panels<PlainFloat32>};
    case WeightType::bf16: return {plain_name, multiply_panels<PlainBf16>};
    case WeightType::int8: return {plain_name, multiply_panels<PlainInt8>};
  }
  return {};
}

}  // namespace dragoman
