#pragma once

#include <chrono>

namespace dragoman {

/// The seconds of a training, those of earlier processes included. It does not run before `start`.
class TrainingClock {
 public:
  explicit TrainingClock(double seconds_before = 0.0) : before_(seconds_before) {}

  void start() { start_ = lap_ = Clock::now(); }

  /// Of the training so far.
  double seconds() const { return before_ + own_seconds(); }

  /// Of this process.
  double own_seconds() const {
    return start_ == Clock::time_point{} ? 0.0 : since(start_, Clock::now());
  }

  /// Since the last call, or since the start.
  double lap() {
    const auto now = Clock::now();
    const auto begun = lap_;
    lap_ = now;
    return since(begun, now);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double since(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  double before_;
  Clock::time_point start_, lap_;
};

}  // namespace dragoman
