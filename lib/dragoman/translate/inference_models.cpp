#include "dragoman/translate/inference_models.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/inference/engine_model.h"
#include "dragoman/inference/file_weights.h"
#include "dragoman/translate/torch_library.h"

#include <string>
#include <utility>

namespace dragoman {

namespace {

OtherModelMaker& maker_of_others() {
  static OtherModelMaker make;
  return make;
}

/// Why EngineModel does not suit; empty if it does.
std::string needs_modules(const RunFiles& run, const SearchOptions& search) {
  return search.cache ? engine_lacks(run.options.model) : "search.cache=false";
}

/// By libdragoman_torch.so, whose messages join those of this program.
std::shared_ptr<const InferenceModel> made_by_library(const RunFiles& run,
                                                      const SearchOptions& search,
                                                      const std::string& reason) {
  auto* const make = torch_library_function<TorchModelFunction>("dragoman_torch_model");
  if (make == nullptr)
    throw DataError(concat(run.checkpoint.string(), ": ", reason,
                           " needs LibTorch, which is not installed with this program (",
                           torch_library_fault(), "); install the whole package, dragoman"));
  std::shared_ptr<const InferenceModel> model;
  std::exception_ptr failure;
  make(run, search, log, log_level(), model, failure);
  if (failure) std::rethrow_exception(failure);
  return model;
}

std::shared_ptr<const InferenceModel> inference_model(const RunFiles& run,
                                                      const SearchOptions& search) {
  const auto reason = needs_modules(run, search);
  if (reason.empty()) {
    FileWeights weights(run.weights);
    return std::make_shared<EngineModel>(
        read_engine_weights(run.options.model,
                            {.source = run.vocabulary.source.vocab_size(),
                             .target = run.vocabulary.target.vocab_size()},
                            weights, search.precision));
  }
  return maker_of_others() ? maker_of_others()(run, search) : made_by_library(run, search, reason);
}

}  // namespace

InferenceModels inference_models(std::span<const RunFiles> runs, const SearchOptions& search) {
  InferenceModels models;
  for (const auto& run : runs) models.push_back(inference_model(run, search));
  return models;
}

void use_for_other_models(OtherModelMaker make) { maker_of_others() = std::move(make); }

}  // namespace dragoman
