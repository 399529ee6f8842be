#pragma once

#include "dragoman/config/train_options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Learning rate of update n, from 1; before that it is 0. With the rate r and w warm-up steps of
/// the options, and x, from 0 to 1, the share that has passed of the steps from w to `decay_steps`:
///
/// - noam (section 5.3 of the paper): r * d_model^-0.5 * min(n^-0.5, n * w^-1.5)
/// - inverse_sqrt: r * min(n / w, sqrt(w / n)), noam with its peak as the rate
/// - linear: r * min(n / w, 1 - x)
/// - cosine: r * min(n / w, (1 + cos(pi x)) / 2), SGDR (arXiv 1608.03983) without restarts
/// - constant: r * min(n / w, 1)
double learning_rate(const TrainOptions& options, std::int64_t d_model, std::int64_t step);

/// What is likely to be wrong with the learning rates of a training of this many updates, as
/// "KEY: fact; remedy".
/// \param resumes whether the training has begun before
std::vector<std::string> doubtful_rates(const TrainOptions& options, double updates, bool resumes);

/// The decay of the moving average at update `step`, from 1: min(decay, (1 + step) / (10 + step)),
/// the warm-up of TensorFlow's ExponentialMovingAverage, so that the random weights of the
/// beginning are soon forgotten.
double average_decay(double decay, std::int64_t step);

}  // namespace dragoman
