#pragma once

#include "dragoman/inference/inference_model.h"
#include "dragoman/run/run_files.h"

#include <memory>

namespace dragoman {

/// A run's `module_model`: what `use_for_other_models` needs.
/// \throws FormatError as `load_run` does
std::shared_ptr<const InferenceModel> module_model_of_run(const RunFiles& run,
                                                          const SearchOptions& search);

}  // namespace dragoman
