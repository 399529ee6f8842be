#include "dragoman/core/simd.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"

#include <algorithm>
#include <cstdlib>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

namespace dragoman {

namespace {

#if defined(__x86_64__) && defined(__GNUC__)

/// Not every compiler's __builtin_cpu_supports knows "f16c", "lzcnt" and "movbe".
bool has_f16c_lzcnt_and_movbe() {
  constexpr unsigned features = 1, extended_features = 0x80000001, in_ecx = bit_F16C | bit_MOVBE;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(features, &eax, &ebx, &ecx, &edx) == 0 || (ecx & in_ecx) != in_ecx) return false;
  return __get_cpuid(extended_features, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_LZCNT) != 0;
}

#endif

/// What the compiler may use at x86-64-v3 but every processor with AVX has is not asked for.
SimdLevel level_of_processor() {
#if defined(__x86_64__) && defined(__GNUC__)
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                  has_f16c_lzcnt_and_movbe();
  if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return SimdLevel::x86_64_v4;
  if (v3) return SimdLevel::x86_64_v3;
#endif
  return SimdLevel::baseline;
}

SimdLevel highest_level() {
  const auto name = instruction_sets[best_allowed_instructions()];
  if (name == "plain") return SimdLevel::baseline;
  if (name == "avx2" || name == "avxvnni") return SimdLevel::x86_64_v3;
  return SimdLevel::x86_64_v4;
}

}  // namespace

std::size_t best_allowed_instructions() {
  const char* const name = std::getenv("DRAGOMAN_CPU");
  if (name == nullptr || *name == '\0') return 0;
  const auto found = std::ranges::find(instruction_sets, name);
  if (found == instruction_sets.end())
    throw OptionsError(
        concat("DRAGOMAN_CPU: \"", name, "\" is none of ", joined(instruction_sets), "; unset it"));
  return static_cast<std::size_t>(found - instruction_sets.begin());
}

SimdLevel simd_level() {
  static const SimdLevel level = std::min(level_of_processor(), highest_level());
  return level;
}

const char* simd_level_name() {
  switch (simd_level()) {
    case SimdLevel::x86_64_v4: return "x86-64-v4";
    case SimdLevel::x86_64_v3: return "x86-64-v3";
    case SimdLevel::baseline: break;
  }
  return "baseline";
}

}  // namespace dragoman
