#pragma once

#include "dragoman/distributed/communicator.h"
#include "dragoman/storage/checkpoint_store.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/train/adam.h"
#include "dragoman/train/replicas.h"
#include "dragoman/train/training_state.h"

namespace dragoman {

/// Everything that the next update depends on.
struct TrainingParts {
  TrainingState& state;
  Replicas& replicas;
  Adam& adam;
  at::Tensor& average;  ///< exponential moving average of the weights; undefined if off
};

/// Takes the parts from a checkpoint. \throws FormatError if it lacks one or has another shape
void load_training(const Checkpoint& checkpoint, const TrainingParts& parts);

/// Writes the checkpoint of `state.step`, marks it where it is the best by a metric, and removes
/// those that are not kept any longer. \throws DataError as CheckpointStore does
void save_training(CheckpointStore& store, const RunOptions& options, const Vocabulary& vocabulary,
                   const TrainingParts& parts);

/// Gives all ranks the parts that rank 0 has.
void share_training(Communicator& group, const TrainingParts& parts);

/// The same, with a warning, if the weights of any rank are not those of rank 0: processors of
/// another kind may compute other last bits, which would add up.
void align_training(Communicator& group, const TrainingParts& parts);

}  // namespace dragoman
