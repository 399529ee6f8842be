#include "dragoman/kernels/packed_kernel.h"

#if defined(__AVX512VNNI__)

#include "dragoman/kernels/packed_avx512.h"

namespace dragoman {

namespace {

/// Four products of an unsigned and a signed byte at a time, summed exactly.
struct Dot : Avx512 {
  using Sum = __m512i;
  static Sum begin(const PackedProduct& product, std::int64_t column) {
    return _mm512_loadu_si512(product.start + column);
  }
  static void add(Sum& sum, Words a, Words b) {
    // As _mm512_dpbusd_epi32, for which GCC 12 copies each sum twice, at half the speed.
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  static __m512 finish(Sum sum, const PackedProduct& product, std::int64_t row,
                       std::int64_t column) {
    const auto scale = _mm512_mul_ps(_mm512_set1_ps(product.row_scale[row]),
                                     _mm512_loadu_ps(product.column_scale + column));
    return _mm512_add_ps(_mm512_mul_ps(__builtin_convertvector((__v16si)sum, __m512), scale),
                         _mm512_loadu_ps(product.bias + column));
  }
};

}  // namespace

PackedKernel avx512_int8_kernel() {
  return __builtin_cpu_supports("avx512vnni") ? multiply_panels<Dot> : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::avx512_int8_kernel() { return nullptr; }

#endif
