#include "dragoman/tensor/thread_count.h"

#include <ATen/Parallel.h>

#include <dlfcn.h>

namespace dragoman {

namespace {

/// The file of LibTorch that this code is linked with. A plugin's host need not have it among the
/// libraries that `dlsym` searches by default.
void* torch_library() {
  Dl_info place{};
  if (::dladdr(reinterpret_cast<void*>(&at::get_num_threads), &place) == 0) return RTLD_DEFAULT;
  void* const library = ::dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? library : RTLD_DEFAULT;
}

/// A function of LibTorch or of a library that it uses; null if there is none.
template <typename Function>
Function* torch_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(torch_library(), name));
}

void set_openmp_threads(int threads) {
  static auto* const set = torch_function<void(int)>("omp_set_num_threads");
  // Without OpenMP, LibTorch has one number for all.
  if (set != nullptr) {
    set(threads);
  } else {
    at::set_num_threads(threads);
  }
}

/// \param threads 0 = those of the process
/// \return what was set before; 0 also without MKL
int set_mkl_threads(int threads) {
  static auto* const set = torch_function<int(int)>("MKL_Set_Num_Threads_Local");
  return set == nullptr ? 0 : set(threads);
}

}  // namespace

// LibTorch sets a thread's number when it is first asked for; later that would overwrite ours.
ThreadCount::ThreadCount(int threads)
    : openmp_before_(at::get_num_threads()), mkl_before_(set_mkl_threads(threads)) {
  set_openmp_threads(threads);
}

ThreadCount::~ThreadCount() {
  set_openmp_threads(openmp_before_);
  set_mkl_threads(mkl_before_);
}

}  // namespace dragoman
