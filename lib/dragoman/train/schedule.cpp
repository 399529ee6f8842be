#include "dragoman/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

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
    case Schedule::constant: return options.learning_rate * std::min(1.0, n / warmup);
  }
  return 0.0;
}

}  // namespace dragoman
