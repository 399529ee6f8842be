#pragma once

#include <type_traits>

/// Put before the definition of a loop-only function: it is compiled for several instruction sets
/// of x86-64 and the processor's best is chosen when the program starts. The names are levels of
/// the architecture, not models of a maker: `arch=haswell` would be chosen on Intel's only. A
/// macro, because an attribute with arguments cannot be named in another way. Empty for other
/// processors and compilers, and under sanitizers, which start later than the choice is made.
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DRAGOMAN_FOR_EACH_CPU \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#define DRAGOMAN_OPTIMIZED optimize("O3")
#else
#define DRAGOMAN_FOR_EACH_CPU
#define DRAGOMAN_OPTIMIZED
#endif

namespace dragoman {

/// What loops may use of a processor: levels of the architecture x86-64, or what all of an
/// architecture have.
enum class SimdLevel { baseline, x86_64_v3, x86_64_v4 };

/// This processor's level, or a lower one if the environment variable DRAGOMAN_CPU names one;
/// constant in a process.
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

/// Calls `loop(VectorWidth)`, a lambda with the attribute always_inline that calls only such
/// functions, compiled for this processor's level.
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
