#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/config/vocabulary_sizes.h"
#include "dragoman/corpus/pair_sample.h"
#include "dragoman/corpus/preflight.h"
#include "dragoman/text/tokenizer.h"

#include <c10/core/Device.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// What a training will require, measured on a sample before it starts.
struct TrainingEstimate {
  std::int64_t parameters = 0;
  double pairs_per_epoch = 0.0;   ///< after the filters, by weight
  double pieces_per_epoch = 0.0;  ///< target side, EOS included
  double updates_per_epoch = 0.0;
  double flops_per_epoch = 0.0;    ///< forward and backward
  double memory_mb = 0.0;          ///< MiB, peak of the process, or of a GPU's memory
  double matmul_gflops = 0.0;      ///< in the type that training uses, all workers together
  double seconds_per_epoch = 0.0;  ///< without validation and saving
  /// Whether time and, on a CPU, memory are those of updates of this model; else by formula.
  bool measured = false;
  std::string not_tried = {};  ///< why not
  std::int64_t measured_updates = 0;
  std::int64_t workers = 0;
  double seconds_per_validation = 0.0;
  double seconds_per_save = 0.0;
  double checkpoint_bytes = 0.0;
  double disk_bytes = 0.0;  ///< at most, of all checkpoints that are kept and the text as ids

  nlohmann::json json() const;
};

/// How far a training is that resumes; a new one is at 0.
struct TrainingDone {
  double updates = 0.0;
  double epochs = 0.0;
  double seconds = 0.0;
};

/// When a training ends, at the latest, and what it costs from now until then.
struct TrainingBudget {
  double updates = 0.0;
  double epochs = 0.0;
  double seconds = 0.0;  ///< translations for validation and saving included
  std::string limit;     ///< the option that ends it: "train.max_steps"

  nlohmann::json json() const;
};

TrainingBudget budget_of(const TrainOptions& options, const TrainingEstimate& estimate,
                         bool validates, const TrainingDone& done = {});

/// The inputs of an estimate.
struct EstimateSource {
  const Preflight& texts;
  const Vocabulary& vocabulary;
  const std::vector<PairSample::Drawn>& sample;
  bool complete = false;            ///< the sample is the whole text
  double learning_memory_mb = 0.0;  ///< peak of the process while it learns the pieces
};

/// Encodes the sample and, if there is memory for it, trains the model on it for a few seconds.
/// \param options with what `with_device_choices` chose
/// \throws OptionsError as a training would: a pair longer than a batch, weights that leave no pair
TrainingEstimate estimate_training(const RunOptions& options, const EstimateSource& source);

/// Bytes of each weight, gradient and moment of a training.
double bytes_of_number(Precision precision);

/// Numbers that a training keeps of each weight, besides gradients: the weight, two moments and, if
/// it is asked for, the moving average.
double numbers_per_weight(const TrainOptions& options);

/// The least MiB that a training takes, by the sizes alone: weights, gradients, moments, on a CPU
/// the copy that is written as a checkpoint, and the activations of a batch.
/// \param processes of the training that share the cores and the memory of this host
double calculated_memory_mb(const RunOptions& options, const VocabularySizes& vocabulary,
                            std::int64_t processes = 1);

/// A warning if that is more than the bytes of memory that are free; none on other devices than a
/// CPU, or if the free memory is unknown.
/// \param memory_mb of all `processes` together
std::optional<std::string> memory_warning(const RunOptions& options, double memory_mb,
                                          std::optional<std::int64_t> available,
                                          std::int64_t processes = 1);

/// The best GFLOP/s that matrix products of a few sizes reach here, on `threads` threads in
/// parallel, each with products of its own. Takes about `seconds`.
/// \param device with one thread on a GPU
double measure_matmul_gflops(std::int64_t threads, double seconds,
                             Precision precision = Precision::float32,
                             const c10::Device& device = c10::kCPU);

}  // namespace dragoman
