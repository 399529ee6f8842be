#pragma once

#include "dragoman/train/training_state.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dragoman {

/// The first limit of `options` that a training has reached (steps, epochs, seconds, patience),
/// human-readable: "train.max_steps 1000 reached". \param seconds of training so far
std::optional<std::string> reached_limit(const TrainOptions& options, const TrainingState& state,
                                         double seconds);

/// Seconds until the nearest limit of steps, epochs or seconds.
/// \param seconds of training so far
/// \param seconds_per_update as measured so far
double seconds_left(const TrainOptions& options, const TrainingState& state, double seconds,
                    double seconds_per_update, std::int64_t updates_per_epoch);

}  // namespace dragoman
