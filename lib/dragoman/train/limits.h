#pragma once

#include "dragoman/train/training_state.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dragoman {

/// Why training ended.
struct TrainingEnd {
  std::string reason;       ///< human-readable: "train.max_steps 1000 reached", "stopped by Ctrl-C"
  int signal = 0;           ///< the StopSignal that caused it, if any
  std::string option = {};  ///< whose limit was reached: "train.max_steps"; empty after a signal
  double spent = 0.0;       ///< of that: updates, epochs, seconds or validations
  std::int64_t step = 0;    ///< updates so far, if a limit was reached
};

/// The first limit of `options` that training has reached: steps, epochs, seconds or patience.
/// \param seconds of training so far
std::optional<TrainingEnd> reached_limit(const TrainOptions& options, const TrainingState& state,
                                         double seconds);

/// The end that a StopSignal asks for.
TrainingEnd stopped_by(int signal);

/// Updates until the nearer limit of steps or epochs.
std::int64_t updates_left(const TrainOptions& options, const TrainingState& state,
                          std::int64_t updates_per_epoch);

/// Seconds until the nearest limit of steps, epochs or seconds.
/// \param seconds of training so far
/// \param seconds_per_update as measured so far
double seconds_left(const TrainOptions& options, const TrainingState& state, double seconds,
                    double seconds_per_update, std::int64_t updates_per_epoch);

/// All limits as text: "6,000 updates (26.4 epochs of 227 updates), 1 h 0 min or 5 validations
/// without improvement of loss".
/// \param state how far training is: epochs before it may have had fewer or more updates
/// \param validates whether there is validation text
std::string limits_text(const TrainOptions& options, const TrainingState& state,
                        std::int64_t updates_per_epoch, bool validates);

}  // namespace dragoman
