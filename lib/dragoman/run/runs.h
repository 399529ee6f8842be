#pragma once

#include "dragoman/run/run_files.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// Loads runs whose models are to be used as an ensemble.
/// \param run_dirs, which, overrides, swap as `load_run` takes them; at least one run
/// \throws DataError if one has another vocabulary than the first; else as `load_run`
std::vector<LoadedRun> load_runs(std::span<const std::filesystem::path> run_dirs,
                                 const std::string& which = "",
                                 const std::vector<std::string>& overrides = {},
                                 AttentionSwap swap = AttentionSwap::equal);

/// The runs' models, not copied.
std::vector<Transformer> models_of(std::span<const LoadedRun> runs);

}  // namespace dragoman
