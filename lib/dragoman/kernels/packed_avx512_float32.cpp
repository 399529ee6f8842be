#include "dragoman/kernels/packed_kernel.h"

#if defined(__AVX512F__)

#include "dragoman/kernels/packed_avx512.h"

namespace dragoman {

namespace {

struct Dot : Avx512Floats {
  static void add(Sum& sum, Words a, Words b) {
    sum = _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), sum);
  }
};

}  // namespace

PackedKernel avx512_float32_kernel() {
  return __builtin_cpu_supports("avx512f") ? multiply_panels<Dot> : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::avx512_float32_kernel() { return nullptr; }

#endif
