#pragma once

#include "dragoman/distributed/communicator.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/train/adam.h"
#include "dragoman/train/data_parallel.h"
#include "dragoman/train/training_state.h"

namespace dragoman {

/// Everything that the next update depends on.
struct TrainingParts {
  TrainingState& state;
  DataParallel& replicas;
  Adam& adam;
  at::Tensor& average;  ///< exponential moving average of the weights; undefined if off
};

/// Loads the parts from a checkpoint. \throws FormatError if one is missing or has another shape
void load_training(const Checkpoint& checkpoint, const TrainingParts& parts);

/// Writes the checkpoint of `state.step`, marks it if it is the best by a metric, and removes those
/// that are no longer kept. \throws DataError as CheckpointStore does
void save_training(CheckpointStore& store, const RunOptions& options, const Vocabulary& vocabulary,
                   const TrainingParts& parts);

/// Sends the parts of rank 0 to all ranks.
void share_training(Communicator& group, const TrainingParts& parts);

/// The same, with a warning, if the weights of any rank differ from those of rank 0: other
/// processors may compute different last bits, and the differences would accumulate.
void align_training(Communicator& group, const TrainingParts& parts);

}  // namespace dragoman
