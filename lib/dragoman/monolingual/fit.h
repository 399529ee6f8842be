#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/data/batch.h"
#include "dragoman/storage/checkpoint_writer.h"
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
  std::function<Loss(const Batch&)> loss;                   ///< sums over a batch on the model's device
  std::function<void(CheckpointWriter&)> write_checkpoint;  ///< all that loading needs
};

/// What it learns from: the targets, and where there are any the sources.
struct FitData {
  const std::vector<Example>& train;
  const std::vector<Example>& valid;  ///< may be empty
  SpecialIds special;                 ///< of both sides
};

/// \throws OptionsError for what `fit` does not do: averages of weights, metrics of translation
void expect_fit_options(const RunOptions& options);

/// The training loop of models that are no translators: the updates, schedule, log, validation and
/// checkpoints of section 5 as `Trainer` has them, in one process, threads as LibTorch uses them. A
/// run that was stopped goes on exactly where it was, with the same number of threads.
/// \param run_dir made if missing
/// \throws OptionsError if `run_dir` holds a run with another configuration, naming the keys; DataError
///     if its text is another or another process writes it, and when a loss is not finite
TrainingEnd fit(const FitModel& model, const FitData& data, const RunOptions& options,
                const std::filesystem::path& run_dir);

}  // namespace dragoman
