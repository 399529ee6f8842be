#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/distributed/communicator.h"
#include "dragoman/train/trainer.h"

#include <filesystem>
#include <optional>

namespace dragoman {

/// The inputs of training.
struct TrainRequest {
  RunOptions options;
  std::filesystem::path run_dir;
  std::optional<std::filesystem::path> source_tokenizer = {};  ///< instead of learning one
  std::optional<std::filesystem::path> target_tokenizer = {};  ///< separate; none = the same as the
                                                               ///< source's
  Communicator* group = nullptr;  ///< processes that train together; null = this one alone
  /// The run whose weights and tokenizers a new run starts from; `options.model` must be that
  /// run's, unless `matching`.
  std::optional<StartFrom> start_from = {};
  /// Folder of the text as ids; none = RUN_DIR/data
  std::optional<std::filesystem::path> data_dir = {};
  bool restores_text = false;  ///< both sides are one text on purpose: no warning of that
};

/// Refuses what `train` would refuse, as far as it can be seen while the training text does not
/// exist yet: a device that is missing, tokenizers and weights that cannot be used, validation text
/// that cannot be read or is not parallel, a run of another configuration in `run_dir`.
/// \throws as `train` does
void expect_trainable(const TrainRequest& request);

/// The checkpoint in `run_dir` that `train` would resume, none = it would begin. The training text
/// is not compared.
/// \throws as `train` does if it would not resume with this request
std::optional<Checkpoint> expect_resumable(const TrainRequest& request);

/// Trains into `run_dir`; if it contains a checkpoint, the run resumes exactly where it stopped.
/// An error before the first checkpoint leaves nothing in a new folder but RUN_DIR/data, once the
/// text is encoded: the next training uses it. In a group rank 0 reads and writes `run_dir`; all
/// read the text, which must be the same for all.
/// \throws OptionsError if it contains a run whose configuration differs in a key that decides what
///     is trained (`changed_fixed_keys`), naming the keys, or if `data_dir` is the run's folder;
///     DataError if its text has changed or another process uses it; and what the parts throw.
TrainingEnd train(const TrainRequest& request);

}  // namespace dragoman
