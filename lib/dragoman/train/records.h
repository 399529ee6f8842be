#pragma once

#include "dragoman/train/training_state.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace dragoman {

/// What a line of progress says besides the sums of its window.
struct Moment {
  std::int64_t epoch = 1;       ///< the one under way, from 1
  double learning_rate = 0.0;
  double gradient_norm = 0.0;   ///< of the last update
  double seconds = 0.0;         ///< of training, restarts included
  double window_seconds = 0.0;  ///< since the window began
  double seconds_left = 0.0;    ///< estimated
};

/// The record of a window in train.jsonl.
nlohmann::json window_record(const TrainingState& state, const Moment& moment);

/// The same for people, on one line.
std::string window_line(const TrainingState& state, const Moment& moment);

/// The record of a validation, and the same for people. \param values by metric's name
nlohmann::json validation_record(std::int64_t step, const std::map<std::string, double>& values);
std::string validation_line(std::int64_t step, const std::map<std::string, double>& values);

/// `value` with so many digits behind the point.
std::string rounded(double value, int digits);

}  // namespace dragoman
