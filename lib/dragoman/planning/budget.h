#pragma once

#include "dragoman/config/train_options.h"
#include "dragoman/planning/estimate.h"

#include <nlohmann/json.hpp>

#include <string>

namespace dragoman {

/// How far a training is that resumes; a new one is at 0.
struct TrainingDone {
  double updates = 0.0;
  double epochs = 0.0;
  double seconds = 0.0;
};

/// When a training ends, at the latest, and what it costs from now until then.
struct TrainingBudget {
  double updates = 0.0;
  double epochs = 0.0;
  double seconds =
      0.0;            ///< with validation and saving; with its translations if these were measured
  std::string limit;  ///< the option that ends it: "train.max_steps"

  nlohmann::json json() const;
};

TrainingBudget budget_of(const TrainOptions& options, const TrainingEstimate& estimate,
                         bool validates, const TrainingDone& done = {});

}  // namespace dragoman
