#pragma once

#include "dragoman/run/checkpoint_store.h"
#include "dragoman/train/adam.h"
#include "dragoman/train/data_parallel.h"
#include "dragoman/train/limits.h"
#include "dragoman/train/training_checkpoint.h"
#include "dragoman/train/training_clock.h"
#include "dragoman/train/training_data.h"
#include "dragoman/train/training_report.h"
#include "dragoman/train/training_state.h"
#include "dragoman/train/validation.h"

#include <filesystem>
#include <optional>

namespace dragoman {

/// Where the weights of a new run come from.
struct WarmStart {
  std::filesystem::path checkpoint;  ///< its folder
  bool matching =
      false;  ///< only those whose names and shapes are the model's; else all, or it is refused
};

/// The training loop (section 5): updates, log, validation, checkpoints.
///
/// After each update everything that the next one depends on is in the weights, the optimizer's
/// moments and the TrainingState, so a checkpoint of these three resumes bit for bit.
class Trainer {
 public:
  /// \param data must outlive the trainer
  /// \param checkpoint to resume from; nothing = from new weights, drawn by `options.seed`
  /// \throws DataError, FormatError if the checkpoint cannot be used
  /// \param group the processes that train together, which all create one with the same options
  ///     and data; rank 0 alone reads the checkpoint and writes. It must outlive the trainer.
  /// \param start_from whose weights a new run begins with
  Trainer(const RunOptions& options, const TrainingData& data, const std::filesystem::path& run_dir,
          const std::optional<Checkpoint>& checkpoint, Communicator& group,
          const std::optional<WarmStart>& start_from = {});

  /// Trains until a limit is reached, early stopping or a signal.
  /// \throws DataError after `train.max_skipped` updates in a row with a non-finite loss
  TrainingEnd run();

 private:
  TrainingParts parts();
  void warm_start(const WarmStart& start_from);
  void resume(const Checkpoint& checkpoint);
  void save();
  bool update();
  void apply();
  void count(const UpdateData& data, const PassSums& sums);
  void skip(double loss, double norm);
  Moment now(double norm) const;
  void validate();
  std::optional<TrainingEnd> ended() const;
  /// Whether something that is done after `every` updates is due now; 0 = once an epoch.
  bool due(std::int64_t every) const;
  TrainingFacts facts();
  TimeSpent spent();

  RunOptions options_;
  const TrainingData& data_;
  std::filesystem::path run_dir_;
  Communicator& group_;
  at::Device device_;
  WorkerShare share_;
  TrainingState state_;
  DataParallel replicas_;
  Adam adam_;
  at::Tensor average_;  ///< exponential moving average of the weights; undefined if off
  Validation validation_;
  std::optional<CheckpointStore> store_;  ///< of rank 0, as the report
  std::optional<TrainingReport> report_;
  std::optional<TrainingStream> stream_;
  TrainingClock clock_;
  bool epoch_ended_ = false;
  std::int64_t saved_step_ = -1;
};

}  // namespace dragoman
