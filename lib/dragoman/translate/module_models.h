#pragma once

#include "dragoman/inference/inference_model.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/run/run_files.h"
#include "dragoman/translate/translation.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A run's `module_model` on a device: what `use_for_other_models` needs.
/// \throws FormatError as `load_run` does; OptionsError as `find_inference_device` and
///     `module_model` do
std::shared_ptr<const InferenceModel> module_model_of_run(const RunFiles& run,
                                                          const SearchOptions& search,
                                                          const std::string& device);

/// The translations of some lines by a run that is in memory, with its own search.
std::vector<Translation> translations_by(const LoadedRun& run, std::span<const std::string> lines);

}  // namespace dragoman
