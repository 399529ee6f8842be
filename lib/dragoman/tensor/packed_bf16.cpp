#include "dragoman/tensor/packed_kernel.h"

#if defined(__AVX512BF16__)

#include "dragoman/tensor/packed_tile.h"

namespace dragoman {

namespace {

/// Two products of bf16 at a time, summed in float32.
struct Bf16Dot {
  using Sum = __m512;
  static Sum begin(const PackedProduct&, std::int64_t) { return _mm512_setzero_ps(); }
  static void add(Sum& sum, __m512i a, __m512i b) {
    sum = _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
  }
  static __m512 finish(Sum sum, const PackedProduct& product, std::int64_t, std::int64_t column) {
    return _mm512_add_ps(sum, _mm512_loadu_ps(product.bias + column));
  }
};

}  // namespace

PackedKernel bf16_kernel() {
  return __builtin_cpu_supports("avx512bf16") ? multiply_panels<Bf16Dot> : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::bf16_kernel() { return nullptr; }

#endif
