#pragma once

#include "dragoman/core/process_usage.h"

#include <chrono>

namespace dragoman {

/// The seconds spent in training, those of earlier processes included. It does not run before
/// `start`.
class TrainingClock {
 public:
  TrainingClock() = default;
  TrainingClock(double seconds_before, double cpu_seconds_before)
      : before_(seconds_before), cpu_before_(cpu_seconds_before) {}

  void start() {
    start_ = lap_ = Clock::now();
    cpu_start_ = process_cpu_seconds();
  }

  /// Of the training so far.
  double seconds() const { return before_ + own_seconds(); }

  /// That the process has computed, all its threads together.
  double cpu_seconds() const {
    return start_ == Clock::time_point{} ? cpu_before_
                                         : cpu_before_ + process_cpu_seconds() - cpu_start_;
  }

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

  double before_ = 0.0, cpu_before_ = 0.0, cpu_start_ = 0.0;
  Clock::time_point start_, lap_;
};

}  // namespace dragoman
