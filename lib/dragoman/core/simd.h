#pragma once

/// Put before the definition of a loop-only function: it is compiled for several instruction sets
/// of x86-64 and the processor's best is chosen when the program starts. A macro, because an
/// attribute with arguments cannot be named in another way. Empty for other processors and compilers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define DRAGOMAN_FOR_EACH_CPU __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default"), optimize("O3")))
#else
#define DRAGOMAN_FOR_EACH_CPU
#endif
