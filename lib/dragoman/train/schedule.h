#pragma once

#include "dragoman/config/train_options.h"

#include <cstdint>

namespace dragoman {

/// Learning rate of update `step`; the first update is step 1, and step 0 has rate 0
/// (section 5.3: d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5)).
double learning_rate(const TrainOptions& options, std::int64_t d_model, std::int64_t step);

/// The decay of the moving average at update `step`, from 1: min(decay, (1 + step) / (10 + step)),
/// so that the random weights of the beginning are soon forgotten.
double average_decay(double decay, std::int64_t step);

}  // namespace dragoman
