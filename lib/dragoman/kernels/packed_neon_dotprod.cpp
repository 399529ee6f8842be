#include "dragoman/kernels/packed_kernel.h"

#if defined(__ARM_FEATURE_DOTPROD) && defined(__linux__)

#include "dragoman/kernels/packed_vectors.h"

#include <asm/hwcap.h>
#include <sys/auxv.h>

namespace dragoman {

namespace {

/// The instruction multiplies signed bytes: with 128 subtracted, those of `a` are signed, and the
/// columns' initial values, which would correct for the 128, are not needed.
struct SignedDot : Integers128 {
  static Sum begin(const PackedProduct&, std::int64_t) { return Sum{}; }
  static Words broadcast_signed(std::int32_t word) { return (Words)vdupq_n_s32(word); }
  static Words broadcast(std::int32_t word) {
    return broadcast_signed(
        static_cast<std::int32_t>(static_cast<std::uint32_t>(word) ^ 0x80808080U));
  }
  static void add(Sum& sum, Words a, Words b) { sum = vdotq_s32(sum, (int8x16_t)a, (int8x16_t)b); }
};

}  // namespace

PackedKernel neon_dotprod_kernel() {
  return (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0 ? multiply_panels<SignedDot> : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::neon_dotprod_kernel() { return nullptr; }

#endif
