#include "dragoman/translate/module_models.h"

#include "dragoman/decoding/module_model.h"
#include "dragoman/tensor/device.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/line_translator.h"

namespace dragoman {

std::shared_ptr<const InferenceModel> module_model_of_run(const RunFiles& run,
                                                          const SearchOptions& search,
                                                          const std::string& device) {
  const auto place = find_inference_device(std::string(device_option), device);
  auto model = load_run(run).model;
  model->to(place);
  return module_model(model, search);
}

std::vector<Translation> translations_by(const LoadedRun& run, std::span<const std::string> lines) {
  return LineTranslator(
             {inference_model(run.model, run.options.search)}, run.vocabulary, run.options.search,
             {.max_source_length = run.options.data.max_length, .seed = run.options.seed})
      .translate(lines);
}

}  // namespace dragoman
