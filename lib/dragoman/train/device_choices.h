#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/run/checkpoint_store.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace dragoman {

/// The number type of a training's products: what `options` ask for; or, for `auto`, that of the
/// checkpoint it resumes from, else bf16 if the device has instructions for it: a processor of
/// x86-64 by what it says of itself, so that the choice is always the same, a GPU by a measurement
/// of a few milliseconds. The log says the choice, and warns if what was asked for is slower than
/// float32.
/// \param checkpoint that the training resumes from, if it does
Precision chosen_precision(const RunOptions& options, const std::optional<Checkpoint>& checkpoint);

/// `train.batch_tokens`, or if it is 0 that of the checkpoint's run, else 4,096 on a CPU and 25,000
/// on a GPU, which only large batches keep busy (section 5.1: about as many); the log says the
/// choice.
/// \param checkpoint that the training resumes from, if it does
std::int64_t chosen_batch_tokens(const RunOptions& options, const c10::Device& device,
                                 const std::optional<Checkpoint>& checkpoint);

/// The options with what a training chooses when it begins: `chosen_precision` and
/// `chosen_batch_tokens` for the device that `train.device` names.
/// \throws OptionsError as `find_device` does
RunOptions with_device_choices(RunOptions options, const std::optional<Checkpoint>& checkpoint);

}  // namespace dragoman
