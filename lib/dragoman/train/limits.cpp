#include "dragoman/train/limits.h"

#include "dragoman/core/error.h"

#include <algorithm>

namespace dragoman {

std::optional<std::string> reached_limit(const TrainOptions& options, const TrainingState& state,
                                         double seconds) {
  if (state.step >= options.max_steps) return concat("train.max_steps ", options.max_steps, " reached");
  if (options.max_epochs > 0 && state.position.epoch >= options.max_epochs)
    return concat("train.max_epochs ", options.max_epochs, " reached");
  if (options.max_seconds > 0.0 && seconds >= options.max_seconds)
    return concat("train.max_seconds ", options.max_seconds, " reached");
  if (options.patience > 0 && state.validations_without_gain >= options.patience)
    return concat("no gain in ", nlohmann::json(options.early_stopping_metric).get<std::string>(),
                  " for ", options.patience, " validations (train.patience)");
  return std::nullopt;
}

double seconds_left(const TrainOptions& options, const TrainingState& state, double seconds,
                    double seconds_per_update, std::int64_t updates_per_epoch) {
  auto updates = options.max_steps - state.step;
  if (options.max_epochs > 0)
    updates = std::min(updates, (options.max_epochs - state.position.epoch) * updates_per_epoch -
                                    state.position.updates);
  const double left = static_cast<double>(updates) * seconds_per_update;
  return options.max_seconds > 0.0 ? std::min(left, options.max_seconds - seconds) : left;
}

}  // namespace dragoman
