#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/run/checkpoint_store.h"

#include <c10/core/Device.h>

#include <optional>

namespace dragoman {

/// The options with what a training chooses when it begins for the device that `train.device`
/// names, unless they, or the run that resumes, say it already; the log tells each choice.
/// - `train.precision`, the number type of products: bf16 if the device has instructions for it,
///   else float32. A processor of x86-64 is asked, so that the choice is always the same; a GPU is
///   measured for a few milliseconds. The log warns if a type that was asked for is slower than
///   float32.
/// - `train.batch_tokens`: 4,096 on a CPU and 25,000 on a GPU, which only large batches keep busy
///   (section 5.1: about as many).
///
/// \param checkpoint that the training resumes from, if it does
/// \throws OptionsError as `find_device` does
RunOptions with_device_choices(const RunOptions& options,
                               const std::optional<Checkpoint>& checkpoint);

/// The same for any device.
RunOptions with_choices_for(const c10::Device& device, RunOptions options,
                            const std::optional<Checkpoint>& checkpoint);

}  // namespace dragoman
