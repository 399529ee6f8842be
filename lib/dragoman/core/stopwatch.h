#pragma once

#include <chrono>

namespace dragoman {

/// The seconds that have passed since `start`.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Adds its lifetime to a sum of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += seconds_since(start_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The result of `action`, whose time is added to `seconds`.
template <typename Action>
auto timed(double& seconds, const Action& action) {
  const Stopwatch watch(seconds);
  return action();
}

}  // namespace dragoman
