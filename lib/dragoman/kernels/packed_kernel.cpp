#include "dragoman/kernels/packed_kernel.h"

#include "dragoman/core/simd.h"

#include <array>

namespace dragoman {

namespace {

// The loops of each of `instruction_sets`; kernels are null for types of weights that it does not
// speed up.
using LoopsOf = PackedLoops (*)(WeightType type);

#if defined(__x86_64__)

PackedLoops amx_loops(WeightType type) {
  switch (type) {
    case WeightType::float32: return {"AMX", nullptr};
    case WeightType::bf16: return {"AMX bf16", amx_bf16_kernel()};
    case WeightType::int8: return {"AMX int8", amx_int8_kernel()};
  }
  return {};
}

PackedLoops avx512_loops(WeightType type) {
  switch (type) {
    case WeightType::float32: return {"AVX-512", avx512_float32_kernel()};
    case WeightType::bf16: return {"AVX-512 bf16", avx512_bf16_kernel()};
    case WeightType::int8: return {"AVX-512 VNNI", avx512_int8_kernel()};
  }
  return {};
}

PackedLoops avx_vnni_loops(WeightType type) {
  return {"AVX-VNNI", type == WeightType::int8 ? avx_vnni_kernel() : nullptr};
}

PackedLoops avx2_loops(WeightType type) { return {"AVX2", avx2_kernel(type)}; }

constexpr std::array<LoopsOf, 5> loops_of_sets = {amx_loops, avx512_loops, avx_vnni_loops,
                                                  avx2_loops, plain_loops};

#elif defined(__aarch64__)

PackedLoops neon_bf16_loops(WeightType type) {
  return {"NEON bf16", type == WeightType::bf16 ? neon_bf16_kernel() : nullptr};
}

PackedLoops neon_i8mm_loops(WeightType type) {
  return {"NEON i8mm", type == WeightType::int8 ? neon_i8mm_kernel() : nullptr};
}

PackedLoops neon_dotprod_loops(WeightType type) {
  return {"NEON dot product", type == WeightType::int8 ? neon_dotprod_kernel() : nullptr};
}

constexpr std::array<LoopsOf, 4> loops_of_sets = {neon_bf16_loops, neon_i8mm_loops,
                                                  neon_dotprod_loops, plain_loops};

#else

constexpr std::array<LoopsOf, 1> loops_of_sets = {plain_loops};

#endif

static_assert(loops_of_sets.size() == instruction_sets.size());

}  // namespace

std::vector<PackedLoops> packed_loops(WeightType type) {
  std::vector<PackedLoops> loops;
  for (auto set = best_allowed_instructions(); set < loops_of_sets.size(); ++set)
    if (const auto candidate = loops_of_sets[set](type); candidate.kernel != nullptr)
      loops.push_back(candidate);
  return loops;
}

}  // namespace dragoman
