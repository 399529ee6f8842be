#pragma once

#include "dragoman/run/loaded_run.h"

#include <filesystem>

namespace dragoman {

/// Writes a model.npz: parameters under Marian's names, and its options as `special:model.yml`.
/// \throws OptionsError naming the option of the model that Marian does not have; DataError if it
///     cannot be written
void write_marian_npz(const LoadedRun& run, const std::filesystem::path& file);

}  // namespace dragoman
