#pragma once

#include "dragoman/distributed/communicator.h"
#include "dragoman/optimizer/adam.h"
#include "dragoman/optimizer/weight_average.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/tensor_file.h"
#include "dragoman/train/data_parallel.h"
#include "dragoman/train/training_state.h"

#include <cstdint>
#include <string>

namespace dragoman {

/// Everything that the next update depends on.
struct TrainingParts {
  TrainingState& state;
  DataParallel& workers;
  Adam& adam;
  WeightAverage& average;
};

/// Loads the parts from a checkpoint, with its validation if there was one.
/// \throws FormatError if one is missing or has another shape
void load_training(const Checkpoint& checkpoint, const TrainingParts& parts,
                   ValidationMetric early_stopping);

/// The parts after an update, copied into the host's memory (pinned, if they are on a GPU), so that
/// training may go on while they are written.
struct TrainingSnapshot {
  std::int64_t step = 0;
  std::string state = {};       ///< state.json
  NamedTensors weights = {};    ///< of the model; if they are averaged, their average
  NamedTensors optimizer = {};  ///< optimizer.safetensors
};

/// \return a copy of the parts: as much memory as the checkpoint takes on the disk
TrainingSnapshot take_snapshot(const TrainingParts& parts);

/// Writes the checkpoint of a snapshot, and removes those that are no longer kept. Reads nothing
/// that training changes.
/// \throws DataError as CheckpointStore does
void save_training(CheckpointStore& store, const Trainable& model,
                   const TrainingSnapshot& snapshot);

/// Adds the newest validation, which is of that checkpoint: validation.json beside its other files,
/// complete or missing, because those are on the disk by now. Then marks the checkpoint if it is
/// the best by a metric.
void save_validation(CheckpointStore& store, const TrainingState& state);

/// Makes each best-METRIC name the checkpoint that `state.best` does, as far as there is one: the
/// process may have died between a validation and its mark.
void mark_best_checkpoints(CheckpointStore& store, const TrainingState& state);

/// Sends the parts of rank 0 to all ranks.
void share_training(Communicator& group, const TrainingParts& parts);

/// The same, with a warning, if the weights of any rank differ from those of rank 0: other
/// processors may compute different last bits, and the differences would accumulate.
void align_training(Communicator& group, const TrainingParts& parts);

}  // namespace dragoman
