#include "memory.h"

#ifdef DRAGOMAN_JEMALLOC

#include <jemalloc/jemalloc.h>

// Read by jemalloc before `main`, like the variable MALLOC_CONF, which wins. Freed pages are never given
// back, and blocks of 8 MiB and more are kept like the others instead of being given back at once.
extern "C" {
const char* malloc_conf = "dirty_decay_ms:-1,muzzy_decay_ms:-1,oversize_threshold:0";
}

namespace dragoman::app {

void keep_large_blocks() {}

std::string allocator_description() {
  const char* version = "";
  auto size = sizeof version;
  ::mallctl("version", &version, &size, nullptr, 0);
  return std::string("jemalloc ") + version;
}

}  // namespace dragoman::app

#else

#include <malloc.h>

#include <limits>

namespace dragoman::app {

void keep_large_blocks() {
#ifdef __GLIBC__
  constexpr int top_pad_bytes = 64 << 20;
  // No block is so large that it gets a mapping of its own, which would be given back when freed.
  ::mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  // The end of the heap is never given back: -1 is the largest size.
  ::mallopt(M_TRIM_THRESHOLD, -1);
  // The heap grows by this much more than was asked for, so that it grows seldom.
  ::mallopt(M_TOP_PAD, top_pad_bytes);
#endif
}

std::string allocator_description() { return "the C library's"; }

}  // namespace dragoman::app

#endif
