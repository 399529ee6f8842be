#include "memory.h"

#ifdef DRAGOMAN_JEMALLOC

#include <dlfcn.h>
#include <sys/types.h>

#include <cstddef>
#include <limits>

// Read by jemalloc before `main`, like the variable MALLOC_CONF, which wins. Freed pages go back to
// the system a second after they were last used; blocks of 8 MiB and more are kept for as long as
// others instead of being given back at once.
extern "C" {
const char* malloc_conf = "dirty_decay_ms:1000,muzzy_decay_ms:0,oversize_threshold:0";
}

namespace dragoman::app {

namespace {

// Several steps of a large model, so that few pages have to be mapped again; but of many small
// tensors of varying sizes, pages kept for long would add up to many times the memory in use.
constexpr ssize_t training_decay_ms = 30'000;

/// jemalloc's control function, where the program's own memory comes from it: libdragoman_torch.so
/// may also be part of another program. \return 0 if the value was read or set
template <typename Value>
int control(const std::string& name, Value* read, Value* set) {
  using Control = int(const char*, void*, std::size_t*, void*, std::size_t);
  static auto* const mallctl = reinterpret_cast<Control*>(::dlsym(RTLD_DEFAULT, "mallctl"));
  if (mallctl == nullptr) return -1;
  auto size = sizeof(Value);
  return mallctl(name.c_str(), read, read == nullptr ? nullptr : &size, set,
                 set == nullptr ? 0 : size);
}

void set_decay(const std::string& name) {
  auto decay = training_decay_ms;
  control<ssize_t>(name, nullptr, &decay);
}

}  // namespace

void keep_freed_memory() {
  set_decay("arenas.dirty_decay_ms");  // of arenas to come
  unsigned arenas = 0;
  control<unsigned>("arenas.narenas", &arenas, nullptr);
  for (unsigned i = 0; i < arenas; ++i) set_decay("arena." + std::to_string(i) + ".dirty_decay_ms");
}

void keep_large_blocks() {
  auto largest = std::numeric_limits<std::size_t>::max() / 4;
  control<std::size_t>("arena.0.oversize_threshold", nullptr, &largest);
}

std::string allocator_description() {
  const char* version = nullptr;
  return control<const char*>("version", &version, nullptr) == 0
             ? std::string("jemalloc ") + version
             : "the C library's";
}

}  // namespace dragoman::app

#else

#include <malloc.h>

#include <limits>

namespace dragoman::app {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int top_pad_bytes = 64 << 20;
  // No block is so large that it gets a mapping of its own, which would be given back when freed.
  ::mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  // The end of the heap is never given back: -1 is the largest size.
  ::mallopt(M_TRIM_THRESHOLD, -1);
  // The heap grows by this much more than was asked for, so that it rarely grows.
  ::mallopt(M_TOP_PAD, top_pad_bytes);
#endif
}

void keep_large_blocks() {}

std::string allocator_description() { return "the C library's"; }

}  // namespace dragoman::app

#endif
