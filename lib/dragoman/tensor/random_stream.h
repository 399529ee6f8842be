#pragma once

#include "dragoman/core/mix.h"

#include <cstdint>

namespace dragoman {

/// Position within the innermost RandomScope of this thread.
struct RandomPosition {
  std::uint64_t key = 0;
  std::uint64_t calls = 0;
  bool set = false;  ///< false: there is no scope
};

RandomPosition random_position();

/// Continues from `position`, as if nothing had been drawn since.
void set_random_position(const RandomPosition& position);

/// While an instance exists, the random numbers that dropout on a CPU draws on this thread depend
/// only on `key`: the n-th call under equal keys draws equal numbers, on whichever thread it runs.
/// Training keys them by the seed, the number of updates tried and the worker, so no random state
/// has to be saved to resume a run.
class RandomScope {
 public:
  explicit RandomScope(std::uint64_t key);
  ~RandomScope();
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

 private:
  RandomPosition outer_;
};

/// A new stream of random numbers: from the innermost RandomScope of this thread or, without one,
/// drawn from LibTorch's default CPU generator (torch::manual_seed).
std::uint64_t next_random_stream();

}  // namespace dragoman
