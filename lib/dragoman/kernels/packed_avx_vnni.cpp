#include "dragoman/kernels/packed_kernel.h"

#if defined(__AVXVNNI__)

#include "dragoman/kernels/packed_avx2.h"

#include <cpuid.h>

namespace dragoman {

namespace {

/// Four products of an unsigned and a signed byte at a time, summed exactly.
struct VexDot : Avx2Integers {
  static constexpr int tile_rows = 6;
  static void add(Sum& sum, Words a, Words b) {
    // As _mm256_dpbusd_avx_epi32, for which GCC 12 copies each sum twice.
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  }
};

/// Not every compiler's __builtin_cpu_supports knows "avxvnni".
bool has_avx_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & bit_AVXVNNI) != 0;
}

}  // namespace

PackedKernel avx_vnni_kernel() { return has_avx_vnni() ? multiply_panels<VexDot> : nullptr; }

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::avx_vnni_kernel() { return nullptr; }

#endif
