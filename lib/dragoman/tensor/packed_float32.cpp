#include "dragoman/tensor/packed_kernel.h"

#if defined(__AVX512F__)

#include "dragoman/tensor/packed_tile.h"

namespace dragoman {

namespace {

struct Float32Dot {
  using Sum = __m512;
  static Sum begin(const PackedProduct&, std::int64_t) { return _mm512_setzero_ps(); }
  static void add(Sum& sum, __m512i a, __m512i b) {
    sum = _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), sum);
  }
  static __m512 finish(Sum sum, const PackedProduct& product, std::int64_t, std::int64_t column) {
    return _mm512_add_ps(sum, _mm512_loadu_ps(product.bias + column));
  }
};

}  // namespace

PackedKernel float32_kernel() {
  return __builtin_cpu_supports("avx512f") ? multiply_panels<Float32Dot> : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::float32_kernel() { return nullptr; }

#endif
