#include "dragoman/kernels/packed_kernel.h"

#if defined(__AVX512VNNI__)

#include "dragoman/kernels/packed_avx512.h"

namespace dragoman {

namespace {

/// Four products of an unsigned and a signed byte at a time, summed exactly.
struct Dot : Avx512Bytes {
  static void add(Sum& sum, Words a, Words b) {
    // As _mm512_dpbusd_epi32, for which GCC 12 copies each sum twice, at half the speed.
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
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
