#pragma once

#include "dragoman/core/log_sink.h"
#include "dragoman/translate/reranker.h"

#include <exception>
#include <filesystem>
#include <functional>

// Language models need LibTorch, which a program that translates may be without: like models that
// `translate/inference_models.h` cannot make, they come from elsewhere.
namespace dragoman {

/// The scores by a run's language model, on the CPU: by what `use_for_language_models` was given
/// or, in a program without LibTorch, by libdragoman_torch.so.
/// \param run_dir a folder written by 'dragoman lm train', or one of its checkpoints
/// \throws DataError if there is no such run, it is of another kind, or LibTorch is not installed;
///     FormatError if it is damaged
LanguageModelScores language_model_scores(const std::filesystem::path& run_dir);

using LanguageModelMaker = std::function<LanguageModelScores(const std::filesystem::path& run_dir)>;

/// To be called once, before any other function of this header, by a program that has LibTorch.
void use_for_language_models(LanguageModelMaker make);

/// The type of `dragoman_torch_language_model`, which libdragoman_torch.so exports.
/// \param log, level where its messages go, and which
/// \param scores set, or else `failure`
using TorchLanguageModelFunction = void(const std::filesystem::path& run_dir, const LogSink& log,
                                        LogLevel level, LanguageModelScores& scores,
                                        std::exception_ptr& failure);

}  // namespace dragoman
