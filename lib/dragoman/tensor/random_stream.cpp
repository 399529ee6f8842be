#include "dragoman/tensor/random_stream.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <mutex>

namespace dragoman {

namespace {

thread_local RandomPosition stream;

}  // namespace

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
