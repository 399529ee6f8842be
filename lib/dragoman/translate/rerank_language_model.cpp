#include "dragoman/translate/rerank_language_model.h"

#include "dragoman/core/error.h"
#include "dragoman/core/immortal.h"
#include "dragoman/core/log.h"
#include "dragoman/translate/torch_library.h"

#include <utility>

namespace dragoman {

namespace {

LanguageModelMaker& maker_of_language_models() {
  static auto& make = immortal(LanguageModelMaker());
  return make;
}

}  // namespace

LanguageModelScores language_model_scores(const std::filesystem::path& run_dir) {
  if (maker_of_language_models()) return maker_of_language_models()(run_dir);
  auto* const make =
      torch_library_function<TorchLanguageModelFunction>("dragoman_torch_language_model");
  if (make == nullptr)
    throw DataError(
        concat(run_dir.string(), ": a language model needs LibTorch, but ", torch_library_fault()));
  LanguageModelScores scores;
  std::exception_ptr failure;
  make(run_dir, log, log_level(), scores, failure);
  if (failure) std::rethrow_exception(failure);
  return scores;
}

void use_for_language_models(LanguageModelMaker make) {
  maker_of_language_models() = std::move(make);
}

}  // namespace dragoman
