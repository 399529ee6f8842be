#include "dragoman/translate/rerank_language_model.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/immortal.h"
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
  return made_by_torch_library<TorchLanguageModelFunction, LanguageModelScores>(
      "dragoman_torch_language_model", concat(run_dir.string(), ": a language model"), run_dir);
}

void use_for_language_models(LanguageModelMaker make) {
  maker_of_language_models() = std::move(make);
}

}  // namespace dragoman
