#pragma once

#include "dragoman/core/error.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/train/background_task.h"
#include "dragoman/train/limits.h"
#include "dragoman/train/training_checkpoint.h"
#include "dragoman/train/training_clock.h"
#include "dragoman/train/training_report.h"
#include "dragoman/train/update_pipeline.h"
#include "dragoman/train/validation.h"

#include <c10/core/DeviceGuard.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace dragoman {

/// What is trained, on what.
struct TrainingTask {
  std::shared_ptr<Trainable> model;  ///< new, on its device
  Examples examples;                 ///< must outlive the training
  StreamOptions stream;              ///< of one process with one worker
  Validation validation;
  nlohmann::json identity = {};  ///< of text and vocabulary; kept in checkpoints
  std::string unit = "pairs";    ///< of the examples
};

/// The checkpoint from which a new run takes its first weights.
struct StartFrom {
  std::filesystem::path checkpoint;  ///< its folder
  bool matching = false;  ///< only those whose names and shapes are the model's; else all, or it is
                          ///< refused
};

/// Too many updates in a row had no finite loss or gradient (`train.max_skipped`).
class DivergedError : public DataError {
 public:
  using DataError::DataError;
};

/// A training (section 5): updates until a limit, checkpoints, validation.
///
/// After each update everything that the next one depends on is in the weights, the optimizer's
/// moments, their average and the TrainingState, so a checkpoint of these resumes bit for bit.
/// While rank 0 writes one on a thread of its own, from a copy in the host's memory, training goes
/// on; the next checkpoint, the record of its validation and the end of the training wait for it.
class Trainer {
 public:
  /// \param checkpoint to resume from; nothing = from new weights
  /// \param group the processes that train together, which all create one with the same options
  ///     and data; rank 0 alone reads the checkpoint and writes. It must outlive the trainer.
  /// \throws DataError, FormatError if the checkpoint cannot be used
  Trainer(const RunOptions& options, TrainingTask task, const std::filesystem::path& run_dir,
          const std::optional<Checkpoint>& checkpoint, Communicator& group,
          const std::optional<StartFrom>& start_from = {});

  /// Trains until a limit is reached, early stopping or a signal.
  /// \throws DivergedError after `train.max_skipped` updates in a row without a finite loss and
  ///     gradient
  TrainingEnd run();

 private:
  TrainingParts parts();
  void initialise(const std::optional<Checkpoint>& checkpoint,
                  const std::optional<StartFrom>& start_from);
  void open_report_and_stream();
  void load_start(const StartFrom& from);
  void resume(const Checkpoint& checkpoint);
  UpdateSettings next_settings(std::int64_t unread);
  bool step();
  bool needs_result(const UpdateData& under_way) const;
  void record(const UpdateData& data, const UpdateSettings& settings, const UpdateResult& result);
  void skip(const UpdateResult& result);
  [[noreturn]] void diverge();
  bool due(std::int64_t every) const;
  bool can_be_validated() const;
  bool validation_is_due() const;
  void save(bool tell);
  void finish_save();
  void validate();
  std::optional<TrainingEnd> agree_on_end() const;
  void finish(const TrainingEnd& end);
  TrainingFacts facts();

  RunOptions options_;
  std::filesystem::path run_dir_;
  Communicator& group_;
  TrainingTask task_;
  /// Makes the GPU that trains the current one: LibTorch would otherwise create events and pinned
  /// memory on GPU 0.
  c10::DeviceGuard current_;
  WorkerShare share_;
  TrainingState state_;
  DataParallel workers_;
  Adam adam_;
  WeightAverage average_;
  std::optional<UpdatePipeline> pipeline_;  ///< `state_` does not yet include the update under way
  std::optional<CheckpointStore> store_;    ///< of rank 0, as the report
  std::optional<TrainingReport> report_;
  std::optional<TrainingStream> stream_;
  TrainingClock clock_;
  std::int64_t saved_step_ = -1;  ///< of the newest checkpoint, which may still be being written
  bool tell_saved_ = false;       ///< whether the log says when it is complete
  BackgroundTask saving_;         ///< reads members above, so it ends first
};

}  // namespace dragoman
