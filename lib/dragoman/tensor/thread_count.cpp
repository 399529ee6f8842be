#include "dragoman/tensor/thread_count.h"

#include "dragoman/core/error.h"

#include <ATen/Parallel.h>

#include <dlfcn.h>

namespace dragoman {

namespace {

/// A function of LibTorch or of a library that it uses. Asked of LibTorch itself, because a program
/// may have loaded it for a plugin alone; null if there is none.
template <typename Function>
Function* torch_function(const char* name) {
  static void* const torch = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  return torch == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(torch, name));
}

void set_openmp_threads(int threads) {
  static auto* const set = torch_function<void(int)>("omp_set_num_threads");
  if (set == nullptr) throw InternalError("LibTorch has no omp_set_num_threads");
  set(threads);
}

/// \param threads 0 = those of the process \return what was set before; 0 also without MKL
int set_mkl_threads(int threads) {
  static auto* const set = torch_function<int(int)>("MKL_Set_Num_Threads_Local");
  return set == nullptr ? 0 : set(threads);
}

}  // namespace

// Asking LibTorch for its number makes it initialise that of this thread; later it would overwrite
// ours.
ThreadCount::ThreadCount(int threads)
    : openmp_before_(at::get_num_threads()), mkl_before_(set_mkl_threads(threads)) {
  set_openmp_threads(threads);
}

ThreadCount::~ThreadCount() {
  set_openmp_threads(openmp_before_);
  set_mkl_threads(mkl_before_);
}

}  // namespace dragoman
