#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/run/checkpoint_store.h"

#include <optional>

namespace dragoman {

/// The number type of a training's products: what `options` ask for; or, for `auto`, that of the
/// checkpoint it resumes from, else bf16 if the device has instructions for it: a processor of
/// x86-64 by what it says of itself, so that the choice is always the same, a GPU by a measurement
/// of a few milliseconds. The log says the choice, and warns if what was asked for is slower than
/// float32.
/// \param checkpoint that the training resumes from, if it does
Precision chosen_precision(const RunOptions& options, const std::optional<Checkpoint>& checkpoint);

}  // namespace dragoman
