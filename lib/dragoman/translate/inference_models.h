#pragma once

#include "dragoman/inference/inference_model.h"
#include "dragoman/run/run_files.h"

#include <functional>
#include <memory>
#include <span>

namespace dragoman {

/// The runs' models for inference on the CPU, with weights in `search.precision`: EngineModels where
/// they suit, else what the function given to `use_for_other_models` makes.
/// \throws FormatError if weights are damaged or not those of the options; DataError if a model needs
///     LibTorch, which this program lacks
InferenceModels inference_models(std::span<const RunFiles> runs, const SearchOptions& search);

/// Makes a model of a run that EngineModel does not suit.
using OtherModelMaker = std::function<std::shared_ptr<const InferenceModel>(
    const RunFiles& run, const SearchOptions& search)>;

/// To be called once, before any other function of this header, by a program that has LibTorch.
void use_for_other_models(OtherModelMaker make);

}  // namespace dragoman
