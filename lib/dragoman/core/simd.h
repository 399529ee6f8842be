#pragma once

/// Put before the definition of a loop-only function: it is compiled for several instruction sets
/// of x86-64 and the processor's best is chosen when the program starts. The names are levels of
/// the architecture, not models of a maker: `arch=haswell` would be chosen on Intel's only. A
/// macro, because an attribute with arguments cannot be named in another way. Empty for other
/// processors and compilers, and under sanitizers, which start later than the choice is made.
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DRAGOMAN_FOR_EACH_CPU \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#define DRAGOMAN_CHOOSES_BY_CPU
#else
#define DRAGOMAN_FOR_EACH_CPU
#endif

namespace dragoman {

/// The level of the architecture whose version of these functions runs on this processor.
inline const char* simd_level() {
#ifdef DRAGOMAN_CHOOSES_BY_CPU
  if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
#endif
  return "baseline";
}

}  // namespace dragoman
