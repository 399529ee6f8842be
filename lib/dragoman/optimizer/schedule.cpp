#include "dragoman/optimizer/schedule.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dragoman {

namespace {

/// Progress from the end of warm-up to `decay_steps`, 0 to 1.
double decayed(const TrainOptions& options, double step) {
  const auto from = static_cast<double>(options.warmup_steps);
  const auto to = static_cast<double>(options.decay_steps);
  return std::clamp((step - from) / (to - from), 0.0, 1.0);
}

}  // namespace

double learning_rate(const TrainOptions& options, std::int64_t d_model, std::int64_t step) {
  if (step <= 0) return 0.0;
  const auto n = static_cast<double>(step);
  const auto warmup = static_cast<double>(std::max<std::int64_t>(options.warmup_steps, 1));
  switch (options.schedule) {
    case Schedule::noam:
      return options.learning_rate * std::pow(static_cast<double>(d_model), -0.5) *
             std::min(std::pow(n, -0.5), n * std::pow(warmup, -1.5));
    case Schedule::inverse_sqrt:
      return options.learning_rate * std::min(n / warmup, std::sqrt(warmup / n));
    case Schedule::linear:
      return options.learning_rate * std::min(n / warmup, 1.0 - decayed(options, n));
    case Schedule::cosine:
      return options.learning_rate *
             std::min(n / warmup, 0.5 * (1.0 + std::cos(std::numbers::pi * decayed(options, n))));
    case Schedule::constant: return options.learning_rate * std::min(1.0, n / warmup);
  }
  return 0.0;
}

std::vector<std::string> doubtful_rates(const TrainOptions& options, double updates, bool resumes) {
  std::vector<std::string> found;
  if (options.decays() && static_cast<double>(options.decay_steps) < updates)
    found.push_back(concat("train.decay_steps: the learning rate is 0 from update ",
                           options.decay_steps, " on, but training goes on to ",
                           std::llround(updates),
                           resumes ? std::string("; to go on learning, begin a new run with the "
                                                 "weights of this one (--start-from)")
                                   : concat("; make it ", std::llround(updates))));
  if (!resumes && static_cast<double>(options.warmup_steps) > updates)
    found.push_back(concat("train.warmup_steps: ", options.warmup_steps, " is more than the ",
                           counted(std::llround(updates), "update"),
                           " of this training, so the learning ",
                           "rate never reaches its peak; lower it"));
  constexpr double least_factor = 0.05;
  if (options.schedule == Schedule::noam && options.learning_rate < least_factor)
    found.push_back(concat("train.learning_rate: ", options.learning_rate,
                           " multiplies the schedule ",
                           "noam, for which 1 is usual; for a highest rate of ",
                           options.learning_rate, " set train.schedule=inverse_sqrt"));
  return found;
}

double average_decay(double decay, std::int64_t step) {
  const auto n = static_cast<double>(step);
  return std::min(decay, (1.0 + n) / (10.0 + n));
}

}  // namespace dragoman
