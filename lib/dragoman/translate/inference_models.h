#pragma once

#include "dragoman/core/log_sink.h"
#include "dragoman/inference/inference_model.h"
#include "dragoman/run/run_files.h"

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dragoman {

/// The option that messages name as the source of a device, by default.
inline constexpr std::string_view device_option = "--device";

/// The runs' models for inference, with weights in `search.precision`: on the CPU EngineModels
/// where they suit; else, and on a GPU, what the function given to `use_for_other_models` makes or,
/// in a program without LibTorch, libdragoman_torch.so. On the CPU the log says once what `auto`
/// has chosen, and warns once of a type that is slower than float32.
/// \param device cpu, cuda or cuda:N
/// \param place of the device's name in messages
/// \throws FormatError if weights are damaged or not those of the options; DataError if a model
///     needs LibTorch, which is not installed; OptionsError if there is no such device, or if it
///     cannot have weights of that precision
InferenceModels inference_models(std::span<const RunFiles> runs, const SearchOptions& search,
                                 const std::string& device = "cpu",
                                 std::string_view place = device_option);

/// Makes a model of a run that EngineModel does not suit, on a device.
using OtherModelMaker = std::function<std::shared_ptr<const InferenceModel>(
    const RunFiles& run, const SearchOptions& search, const std::string& device)>;

/// To be called once, before any other function of this header, by a program that has LibTorch.
void use_for_other_models(OtherModelMaker make);

/// The type of `dragoman_torch_model`, which libdragoman_torch.so exports.
/// \param log, level where its messages go, and which
/// \param model set, or else `failure`
using TorchModelFunction = void(const RunFiles& run, const SearchOptions& search,
                                const std::string& device, const LogSink& log, LogLevel level,
                                std::shared_ptr<const InferenceModel>& model,
                                std::exception_ptr& failure);

}  // namespace dragoman
