#pragma once

#include "dragoman/core/log_sink.h"
#include "dragoman/inference/inference_model.h"
#include "dragoman/run/run_files.h"

#include <exception>
#include <functional>
#include <memory>
#include <span>

namespace dragoman {

/// The runs' models for inference on the CPU, with weights in `search.precision`: EngineModels
/// where they suit, else what the function given to `use_for_other_models` makes or, in a program
/// without LibTorch, libdragoman_torch.so.
/// \throws FormatError if weights are damaged or not those of the options; DataError if a model
///     needs LibTorch, which is not installed
InferenceModels inference_models(std::span<const RunFiles> runs, const SearchOptions& search);

/// Makes a model of a run that EngineModel does not suit.
using OtherModelMaker = std::function<std::shared_ptr<const InferenceModel>(
    const RunFiles& run, const SearchOptions& search)>;

/// To be called once, before any other function of this header, by a program that has LibTorch.
void use_for_other_models(OtherModelMaker make);

/// The type of `dragoman_torch_model`, which libdragoman_torch.so exports.
/// \param log, level where its messages go, and which
/// \param model set, or else `failure`
using TorchModelFunction = void(const RunFiles& run, const SearchOptions& search,
                                const LogSink& log, LogLevel level,
                                std::shared_ptr<const InferenceModel>& model,
                                std::exception_ptr& failure);

}  // namespace dragoman
