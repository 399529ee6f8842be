#include "dragoman/translate/module_models.h"

#include "dragoman/decoding/module_model.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/tensor/device.h"

namespace dragoman {

std::shared_ptr<const InferenceModel> module_model_of_run(const RunFiles& run,
                                                          const SearchOptions& search,
                                                          const std::string& device) {
  const auto place = find_inference_device("--device", device);
  auto model = load_run(run).model;
  model->to(place);
  return module_model(model, search);
}

}  // namespace dragoman
