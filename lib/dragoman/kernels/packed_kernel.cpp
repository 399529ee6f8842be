#include "dragoman/kernels/packed_kernel.h"

#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ranges>
#include <string>
#include <string_view>

namespace dragoman {

namespace {

/// The loops of one level of DRAGOMAN_CPU; kernels are null for types of weights it does not speed
/// up.
struct CpuLevel {
  std::string_view name;
  PackedLoops (*loops)(WeightType type);
};

#if defined(__x86_64__)

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

constexpr std::array levels{CpuLevel{"avx512", avx512_loops}, CpuLevel{"avxvnni", avx_vnni_loops},
                            CpuLevel{"avx2", avx2_loops}, CpuLevel{"plain", plain_loops}};

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

constexpr std::array levels{CpuLevel{"bf16", neon_bf16_loops}, CpuLevel{"i8mm", neon_i8mm_loops},
                            CpuLevel{"dotprod", neon_dotprod_loops},
                            CpuLevel{"plain", plain_loops}};

#else

constexpr std::array levels{CpuLevel{"plain", plain_loops}};

#endif

std::string level_names() { return joined(levels | std::views::transform(&CpuLevel::name)); }

/// The first level that may be used.
auto highest_level() {
  const char* const name = std::getenv("DRAGOMAN_CPU");
  if (name == nullptr || *name == '\0') return levels.begin();
  const auto* const found = std::find_if(levels.begin(), levels.end(),
                                         [name](const auto& level) { return level.name == name; });
  if (found == levels.end())
    throw OptionsError(
        concat("DRAGOMAN_CPU: \"", name, "\" is none of ", level_names(), "; unset it"));
  return found;
}

}  // namespace

std::vector<PackedLoops> packed_loops(WeightType type) {
  std::vector<PackedLoops> loops;
  for (auto level = highest_level(); level != levels.end(); ++level)
    if (const auto candidate = level->loops(type); candidate.kernel != nullptr)
      loops.push_back(candidate);
  return loops;
}

}  // namespace dragoman
