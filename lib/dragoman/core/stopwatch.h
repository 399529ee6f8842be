#pragma once

#include <chrono>

namespace dragoman {

/// Adds its lifetime to a sum of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_;
};

/// The result of `action`, whose time is added to `seconds`.
template <typename Action>
auto timed(double& seconds, const Action& action) {
  const Stopwatch watch(seconds);
  return action();
}

}  // namespace dragoman
