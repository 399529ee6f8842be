#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

// Clang optimises all of a file alike.
#if defined(__GNUC__) && !defined(__clang__)
#define DRAGOMAN_OPTIMIZED optimize("O3")
#else
#define DRAGOMAN_OPTIMIZED
#endif

namespace dragoman {

/// The instruction sets that the environment variable DRAGOMAN_CPU may name, the best first.
#if defined(__x86_64__)
inline constexpr std::array<std::string_view, 5> instruction_sets = {"amx", "avx512", "avxvnni",
                                                                     "avx2", "plain"};
#elif defined(__aarch64__)
inline constexpr std::array<std::string_view, 4> instruction_sets = {"bf16", "i8mm", "dotprod",
                                                                     "plain"};
#else
inline constexpr std::array<std::string_view, 1> instruction_sets = {"plain"};
#endif

/// The place in `instruction_sets` of the best one that may be used: the first, or DRAGOMAN_CPU's.
/// \throws OptionsError if that names none of them
std::size_t best_allowed_instructions();

/// What loops may use of a processor: levels of the architecture x86-64, or what all of an
/// architecture have.
enum class SimdLevel { baseline, x86_64_v3, x86_64_v4 };

/// This processor's level, or a lower one if the environment variable DRAGOMAN_CPU names one;
/// constant in a process. \throws as `best_allowed_instructions` does
SimdLevel simd_level();

/// "x86-64-v4", "x86-64-v3" or "baseline"
const char* simd_level_name();

/// The number of float32 in a processor's vector, as a type.
template <int number>
using VectorWidth = std::integral_constant<int, number>;

#if defined(__x86_64__) && defined(__GNUC__)

// `loop` must be inlined, to be compiled for the level.

template <typename Loop>
__attribute__((target("arch=x86-64-v4"), DRAGOMAN_OPTIMIZED)) void run_on_v4(const Loop& loop) {
  loop(VectorWidth<16>());
}

template <typename Loop>
__attribute__((target("arch=x86-64-v3"), DRAGOMAN_OPTIMIZED)) void run_on_v3(const Loop& loop) {
  loop(VectorWidth<8>());
}

#endif

template <typename Loop>
__attribute__((DRAGOMAN_OPTIMIZED)) void run_on_baseline(const Loop& loop) {
  loop(VectorWidth<4>());
}

/// Calls `loop(VectorWidth)`, compiled for this processor's level: a lambda with the attribute
/// always_inline, as have the functions with the loops that it calls. What else it calls is
/// compiled for the baseline.
template <typename Loop>
void run_on_this_cpu(const Loop& loop) {
#if defined(__x86_64__) && defined(__GNUC__)
  switch (simd_level()) {
    case SimdLevel::x86_64_v4: return run_on_v4(loop);
    case SimdLevel::x86_64_v3: return run_on_v3(loop);
    case SimdLevel::baseline: break;
  }
#endif
  run_on_baseline(loop);
}

}  // namespace dragoman
