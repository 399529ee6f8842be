#include "dragoman/kernels/packed_kernel.h"

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC) && defined(__linux__)

#include "dragoman/kernels/packed_vectors.h"

#include <asm/hwcap.h>
#include <sys/auxv.h>

namespace dragoman {

namespace {

/// Two products of bf16 at a time, summed in float32.
struct NeonBf16Dot : Floats128 {
  static void add(Sum& sum, Words a, Words b) {
    sum = vbfdotq_f32(sum, (bfloat16x8_t)a, (bfloat16x8_t)b);
  }
};

}  // namespace

PackedKernel neon_bf16_kernel() {
  return (::getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0 ? multiply_panels<NeonBf16Dot> : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::neon_bf16_kernel() { return nullptr; }

#endif
