#pragma once

#include "dragoman/train/training_state.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dragoman {

/// What a record of the training contains besides the sums of its window.
struct UpdateStatus {
  std::int64_t epoch = 1;  ///< the current one, from 1
  double learning_rate = 0.0;
  double gradient_norm = 0.0;  ///< of the last update
  double seconds = 0.0;        ///< of training, restarts included
};

/// Values by metric's name, as `Validation::measure` gives them.
using MetricValues = std::map<std::string, double>;

/// A validation sentence and the model's translation of it.
struct SampleTranslation {
  std::string source, translation, reference;
};

/// The results of a validation.
struct ValidationResult {
  MetricValues values;
  std::vector<SampleTranslation> samples = {};  ///< a few, if anything was translated
};

/// The means over a window.
struct WindowMeans {
  double loss = 0.0, nll = 0.0;  ///< nats per target token, as in `PassSums`
  double consistency = 0.0;      ///< the same
  double accuracy = 0.0;         ///< share of the target tokens, 0 to 1
  double padding = 0.0;          ///< share of all positions, 0 to 1
  double tokens_per_second = 0.0;
};

WindowMeans means_of(const Window& window);

/// The record of a window in train.jsonl. If `loss` contains a divergence of two passes, that part
/// is `consistency`, and the rest, the smoothed cross-entropy, `smoothed_loss`.
nlohmann::json window_record(const TrainingState& state, const UpdateStatus& status);

/// The record of a validation.
/// \param is_due by train.validate_every. Else it is `at_limit`, where a training ended: its values
///     may be the best, but train.patience does not count it as one without improvement.
nlohmann::json validation_record(std::int64_t step, const MetricValues& values, bool is_due);

}  // namespace dragoman
