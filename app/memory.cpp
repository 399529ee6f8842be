#include "memory.h"

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

}  // namespace dragoman::app
