#include "dragoman/planning/budget.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace dragoman {

TrainingBudget budget_of(const TrainOptions& options, const TrainingEstimate& estimate,
                         bool validates, const TrainingDone& done) {
  const double in_epoch = std::max(estimate.updates_per_epoch, 1.0);
  const auto each = [in_epoch](std::int64_t interval) {
    return interval > 0 ? static_cast<double>(interval) : in_epoch;
  };
  double per_update = estimate.seconds_per_epoch / in_epoch;
  double saves = 1.0 / each(options.checkpoint_every);
  if (validates) {
    per_update += estimate.seconds_per_validation / each(options.validate_every);
    // What is validated is saved, once where a checkpoint is due anyway.
    saves += 1.0 / each(options.validate_every);
    if (options.validate_every == options.checkpoint_every)
      saves -= 1.0 / each(options.validate_every);
    else if (options.validate_every > 0 && options.checkpoint_every > 0)
      saves -=
          1.0 / static_cast<double>(std::lcm(options.validate_every, options.checkpoint_every));
  }
  per_update += saves * estimate.seconds_per_save;
  TrainingBudget budget;
  budget.updates = std::numeric_limits<double>::infinity();
  const auto limit = [&budget](double updates, const char* option) {
    if (updates >= budget.updates) return;
    budget.updates = std::max(0.0, updates);
    budget.limit = option;
  };
  limit(static_cast<double>(options.max_steps) - done.updates, "train.max_steps");
  if (options.max_epochs > 0)
    limit((static_cast<double>(options.max_epochs) - done.epochs) * in_epoch, "train.max_epochs");
  if (options.max_seconds > 0.0 && per_update > 0.0)
    limit(std::ceil((options.max_seconds - done.seconds) / per_update), "train.max_seconds");
  budget.epochs = budget.updates / in_epoch;
  budget.seconds = budget.updates * per_update;
  return budget;
}

nlohmann::json TrainingBudget::json() const {
  return {{"updates", updates}, {"epochs", epochs}, {"seconds", seconds}, {"limit", limit}};
}

}  // namespace dragoman
