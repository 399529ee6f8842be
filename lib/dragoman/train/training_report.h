#pragma once

#include "dragoman/core/progress.h"
#include "dragoman/train/limits.h"
#include "dragoman/train/progress_lines.h"
#include "dragoman/train/records.h"
#include "dragoman/train/tensorboard_log.h"
#include "dragoman/train/train_log.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace dragoman {

/// What a training consists of, for its first message and record.
struct TrainingFacts {
  std::int64_t parameters = 0;
  std::int64_t examples = 0;
  std::string unit = "pairs";  ///< of the examples
  std::int64_t updates_per_epoch = 0;
  std::string device;
  std::int64_t workers = 1;  ///< of all ranks
  std::int64_t threads = 1;  ///< of each worker
  std::int64_t ranks = 1;
};

/// How the time of training was spent.
struct TimeSpent {
  double seconds = 0.0;      ///< in all, restarts included
  double cpu_seconds = 0.0;  ///< the same, of all threads of rank 0
  double own_seconds = 0.0;  ///< of this process
  double waiting = 0.0;      ///< seconds of this process that waited for data
};

/// Everything a training reports while it runs: the records in train.jsonl and TensorBoard, the log
/// for people, and the live line of a terminal. Does not affect the training; in a group rank 0
/// has one.
class TrainingReport {
 public:
  /// \param state of the training, which changes between the calls; it must outlive the report
  /// \param validates whether there is validation text
  /// \throws DataError if a file cannot be written, as all calls do
  TrainingReport(const std::filesystem::path& run_dir, const RunOptions& options,
                 const TrainingState& state, bool validates);
  ~TrainingReport();
  TrainingReport(const TrainingReport&) = delete;
  TrainingReport& operator=(const TrainingReport&) = delete;

  void start(const TrainingFacts& facts);

  /// After each update; each `train.log_every` updates `state.window` becomes a record, and must
  /// then be cleared.
  void updated(const UpdateStatus& status);

  /// An update was skipped because its loss or gradient is not finite or too large.
  void skipped(double loss, double gradient_norm);

  /// A validation starts: its elapsed time is shown until `validated`.
  void validating();

  /// \param result none: a signal stopped it
  /// \param seconds that the validation took
  void validated(const std::optional<ValidationResult>& result, double seconds);

  /// The checkpoint of a step is complete.
  void saved(std::int64_t step);

  void ended(const TrainingEnd& end, const TimeSpent& spent);

 private:
  void record(const nlohmann::json& entry);
  void warn_of_options() const;
  void log_window(const UpdateStatus& status, const Remaining& remaining);
  void tell_estimate(double seconds, const Remaining& remaining);
  void show_live(const UpdateStatus& status, const Remaining& remaining);
  std::optional<double> seconds_per_update(double seconds) const;
  Remaining remaining(double seconds) const;
  std::filesystem::path checkpoint(std::int64_t step) const;

  struct FirstUpdate {
    std::int64_t step;
    double seconds;  ///< of training when it was done
  };

  std::filesystem::path run_dir_;
  RunOptions options_;
  const TrainingState& state_;
  TrainLog log_;
  std::optional<TensorBoardLog> board_;
  std::int64_t updates_per_epoch_ = 1;
  std::string device_;  ///< as in TrainingFacts
  std::optional<FirstUpdate>
      first_;  ///< of this process; it also warms up, so that speed counts from its end
  bool estimate_told_ = false;
  Window last_window_;  ///< the one that was logged last
  bool validates_;
  MetricValues validation_;  ///< the newest one's
  std::optional<Activity> validating_;
  double next_live_ = 0.0;  ///< seconds of training
};

}  // namespace dragoman
