#include "dragoman/tensor/random_stream.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <mutex>

namespace dragoman {

namespace {

thread_local RandomPosition stream;

std::uint64_t split_mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return split_mix(split_mix(a) ^ b); }

RandomPosition random_position() { return stream; }

void set_random_position(const RandomPosition& position) { stream = position; }

RandomScope::RandomScope(std::uint64_t key) : outer_(stream) {
  stream = {.key = key, .calls = 0, .set = true};
}

RandomScope::~RandomScope() { stream = outer_; }

std::uint64_t next_random_stream() {
  if (stream.set) return mix(stream.key, stream.calls++);
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

}  // namespace dragoman
