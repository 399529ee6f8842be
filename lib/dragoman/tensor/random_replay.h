#pragma once

#include "dragoman/tensor/random_stream.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

namespace dragoman {

/// The state that determines the next random numbers of this thread on a device.
class RandomState {
 public:
  /// Captures the present state. \param device where the numbers are used; a GPU draws them itself
  explicit RandomState(const c10::Device& device);

  /// Restores the state: the same numbers will be drawn again.
  void restore() const;

 private:
  RandomPosition position_;
  std::vector<std::pair<at::Generator, at::Tensor>> generators_;
};

/// While an instance exists, random numbers are those that were drawn after `state` was captured;
/// afterwards they continue where they were.
class RandomReplay {
 public:
  RandomReplay(const RandomState& state, const c10::Device& device) : now_(device) {
    state.restore();
  }
  ~RandomReplay() { now_.restore(); }
  RandomReplay(const RandomReplay&) = delete;
  RandomReplay& operator=(const RandomReplay&) = delete;

 private:
  RandomState now_;
};

}  // namespace dragoman
