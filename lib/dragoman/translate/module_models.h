#pragma once

#include "dragoman/inference/inference_model.h"
#include "dragoman/run/run_files.h"

#include <memory>
#include <string>

namespace dragoman {

/// A run's `module_model` on a device: what `use_for_other_models` needs.
/// \throws FormatError as `load_run` does; OptionsError as `find_inference_device` and
///     `module_model` do
std::shared_ptr<const InferenceModel> module_model_of_run(const RunFiles& run,
                                                          const SearchOptions& search,
                                                          const std::string& device);

}  // namespace dragoman
