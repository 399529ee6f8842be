#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/data/batch.h"
#include "dragoman/run/checkpoint_writer.h"
#include "dragoman/text/example.h"
#include "dragoman/train/label_smoothing.h"
#include "dragoman/train/trainer.h"

#include <torch/nn/module.h>

#include <filesystem>
#include <functional>
#include <vector>

namespace dragoman {

/// A model as `fit` sees it.
struct FitModel {
  torch::nn::Module& module;
  std::function<Loss(const Batch&)> loss;  ///< sums over a batch on the model's device
  std::function<void(CheckpointWriter&)> write_checkpoint;  ///< everything that loading needs
};

/// The training data: the targets, and the sources if there are any.
struct FitData {
  const std::vector<Example>& train;
  const std::vector<Example>& valid;  ///< may be empty
  SpecialIds special;                 ///< of both sides
};

/// \throws OptionsError for what `fit` does not support: weight averaging, translation metrics
void expect_fit_options(const RunOptions& options);

/// The training loop of models that are not translators: updates, schedule, log, validation and
/// checkpoints of section 5 as in `Trainer`, in one process, with LibTorch's own threads. A stopped
/// run resumes exactly where it was, given the same number of threads.
/// \param run_dir created if missing
/// \throws OptionsError if `run_dir` contains a run with another configuration, naming the keys;
///     DataError if its text differs or another process writes to it, and if a loss is not finite
TrainingEnd fit(const FitModel& model, const FitData& data, const RunOptions& options,
                const std::filesystem::path& run_dir);

}  // namespace dragoman
