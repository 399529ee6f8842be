#include "dragoman/tensor/random_replay.h"

#include <ATen/Context.h>

#include <mutex>

namespace dragoman {

RandomState::RandomState(const c10::Device& device) : position_(random_position()) {
  const auto take = [this](at::Generator generator) {
    const std::lock_guard lock(generator.mutex());
    auto state = generator.get_state();
    generators_.emplace_back(std::move(generator), std::move(state));
  };
  // Within a scope the CPU's generator is not used.
  if (!position_.set) take(at::globalContext().defaultGenerator(at::kCPU));
  if (!device.is_cpu()) take(at::globalContext().defaultGenerator(device));
}

void RandomState::restore() const {
  set_random_position(position_);
  for (auto [generator, state] : generators_) {
    const std::lock_guard lock(generator.mutex());
    generator.set_state(state);
  }
}

}  // namespace dragoman
