#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/train/update_sums.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace dragoman {

/// Sums since the last line of the log.
struct Window {
  PassSums loss;
  std::int64_t source_tokens = 0;
  std::int64_t padding = 0;  ///< positions without a token
  std::int64_t updates = 0;
  double seconds = 0.0;  ///< that these updates took, restarts left out

  Window& operator+=(const Window& other);
};

/// The best value of a metric so far.
struct Best {
  double value = 0.0;
  std::int64_t step = 0;
};

/// Everything about a training run that is not a tensor: what a checkpoint needs besides weights
/// and moments so that the run resumes as if it had never stopped. Random numbers depend on the
/// seed, `step` + `skipped` and the worker alone, so that no generator's state is stored.
struct TrainingState {
  std::int64_t step = 0;     ///< updates done
  std::int64_t skipped = 0;  ///< updates that were not `applied`, in all
  std::int64_t skipped_in_row = 0;
  StreamPosition position;
  double seconds = 0.0;      ///< of training, restarts included
  double cpu_seconds = 0.0;  ///< the same, of all threads of rank 0
  std::int64_t restarts = 0;
  std::int64_t sentences = 0;
  std::int64_t target_tokens = 0;
  double flops = 0.0;  ///< multiply-adds times 2, forward and backward
  Window window;
  std::map<std::string, Best> best;  ///< by metric's name
  std::int64_t validations_without_gain = 0;
  nlohmann::json validations = nlohmann::json::array();  ///< each `validation_record`
  nlohmann::json identity;  ///< what the run is made from: text, tokenizers, batch order, workers
};

/// Numbers whose exact bits matter are written as hexadecimal text.
nlohmann::json to_json(const TrainingState& state);

/// \throws FormatError naming `place` if a part is missing or of another version
TrainingState training_state_from(const nlohmann::json& json, const std::string& place);

/// That of a checkpoint, without a validation that was written after it.
/// \throws DataError if its file is missing or cannot be read; FormatError if it is damaged, of
///     another version, or not of a training
TrainingState read_training_state(const std::filesystem::path& checkpoint);

/// Adds an update, which took `seconds`, to the sums.
void note_update(TrainingState& state, const UpdateSums& sums, double seconds);

/// Adds a validation of the weights after `state.step` updates: whether it is the best so far by
/// each metric, and for how many validations `early_stopping` has not improved.
/// \param record as `validation_record` makes it
void note_validation(TrainingState& state, const nlohmann::json& record,
                     ValidationMetric early_stopping);

/// The content of `validation_file`: the newest validation, and the time of the training until
/// then.
nlohmann::json to_validation_file(const TrainingState& state);

/// Adds the validation of these weights that was written after the state, unless the state has it,
/// and its time.
/// \param file the content of `validation_file`
/// \return false if it is no record of a validation after `state.step` updates
bool note_later_validation(TrainingState& state, const nlohmann::json& file,
                           ValidationMetric early_stopping);

/// Counts anew for how many of the noted validations `early_stopping` has not improved, after it
/// was another metric.
void count_validations_without_gain(TrainingState& state, ValidationMetric early_stopping);

/// The step of the newest validation; -1 without one.
std::int64_t validated_step(const TrainingState& state);

/// Whether `value` is better than `best`: lower for loss and perplexity, higher for other metrics.
/// What is not a number is never better, and a number always is better than that.
bool is_better(ValidationMetric metric, double value, double best);

}  // namespace dragoman
