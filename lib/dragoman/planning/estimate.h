#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/planning/encoded_sample.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace dragoman {

/// What a training will require, measured on a sample before it starts.
struct TrainingEstimate {
  std::int64_t parameters = 0;
  double pairs_per_epoch = 0.0;   ///< after the filters, by weight
  double too_long_pairs = 0.0;    ///< of the text, left out by `data.max_length`
  double over_ratio_pairs = 0.0;  ///< the same by `data.max_ratio`
  double pieces_per_epoch = 0.0;  ///< target side, EOS included
  double updates_per_epoch = 0.0;
  double flops_per_epoch = 0.0;    ///< forward and backward
  double memory_mb = 0.0;          ///< MiB, peak of the process, or of a GPU's memory
  double matmul_gflops = 0.0;      ///< in the type that training uses, all workers together
  double seconds_per_epoch = 0.0;  ///< without validation and saving
  /// Whether time and, on a CPU, memory are those of updates of this model; else by formula.
  bool measured = false;
  std::string not_measured = {};  ///< why not: "the model was not tried: it would take minutes"
  std::string memory_fault = {};  ///< what its updates said when memory ran out; empty if it fits
  std::int64_t measured_updates = 0;
  std::int64_t workers = 0;
  double seconds_per_validation = 0.0;  ///< with its translations only if `measured`
  double seconds_per_save = 0.0;
  double checkpoint_bytes = 0.0;
  double checkpoints_bytes = 0.0;  ///< at most, of all that are kept and the one being written
  double text_bytes = 0.0;         ///< of the text as ids

  nlohmann::json json() const;
};

/// Encodes the sample and, if there is memory for it, trains the model on it for a few seconds.
/// If memory runs out, the estimate says so.
/// \param options with what `with_device_choices` chose
/// \param learning_memory_mb peak of the process while it learns the pieces
/// \throws OptionsError as a training would: a pair longer than a batch, weights that leave no pair
TrainingEstimate estimate_training(const RunOptions& options, const SampledText& text,
                                   double learning_memory_mb = 0.0);

}  // namespace dragoman
