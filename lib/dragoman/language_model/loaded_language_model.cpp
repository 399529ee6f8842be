#include "dragoman/language_model/loaded_language_model.h"

#include "dragoman/run/loaded_run.h"
#include "dragoman/run/parameters.h"

namespace dragoman {

LoadedLanguageModel load_language_model(const std::filesystem::path& run_dir,
                                        const std::string& checkpoint,
                                        const std::vector<std::string>& overrides) {
  const auto files = open_run(run_dir, ModelKind::language_model, checkpoint, overrides);
  LoadedLanguageModel loaded{
      .options = files.options,
      .model = LanguageModel(files.options.model, files.vocabulary.source.vocab_size()),
      .tokenizer = files.vocabulary.source};
  adopt_parameters(*loaded.model, *files.content, files.weights.string());
  loaded.model->eval();
  return loaded;
}

}  // namespace dragoman
