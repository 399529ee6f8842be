#include "dragoman/tensor/mkl_on_amd.h"

#include <dlfcn.h>

// The MKL inside LibTorch's x86 builds asks this function whether the processor is Intel's, and
// takes a path of half the speed where it is not, although the instruction set, which it finds by
// CPUID, is the same. The function is an ordinary exported symbol, and the dynamic linker takes
// the first it finds: that of the executable, or of libdragoman.so, which is loaded before
// LibTorch. Results are the same within rounding; a processor without AVX2 or AVX-512 is still seen
// as such. The build leaves this file's answer out with -DDRAGOMAN_MKL_ON_AMD=OFF, and by itself
// where LibTorch has no MKL (ARM, for instance).
#ifdef DRAGOMAN_MKL_ON_AMD
extern "C" int mkl_serv_intel_cpu_true();
extern "C" __attribute__((visibility("default"), used)) int mkl_serv_intel_cpu_true() { return 1; }
#endif

namespace dragoman {

bool mkl_fast_path_chosen() {
#ifdef DRAGOMAN_MKL_ON_AMD
  void* const ours = reinterpret_cast<void*>(&mkl_serv_intel_cpu_true);
  return ::dlsym(RTLD_DEFAULT, "mkl_serv_intel_cpu_true") == ours;
#else
  return false;
#endif
}

}  // namespace dragoman
