#include "dragoman/kernels/packed_kernel.h"

#if defined(__AVX512BF16__)

#include "dragoman/kernels/packed_avx512.h"

namespace dragoman {

namespace {

/// Two products of bf16 at a time, summed in float32.
struct Dot : Avx512Floats {
  static void add(Sum& sum, Words a, Words b) {
    sum = _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
  }
};

}  // namespace

PackedKernel avx512_bf16_kernel() {
  return __builtin_cpu_supports("avx512bf16") ? multiply_panels<Dot> : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::avx512_bf16_kernel() { return nullptr; }

#endif
