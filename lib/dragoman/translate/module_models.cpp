#include "dragoman/translate/module_models.h"

#include "dragoman/decoding/module_model.h"
#include "dragoman/run/loaded_run.h"

namespace dragoman {

std::shared_ptr<const InferenceModel> module_model_of_run(const RunFiles& run,
                                                          const SearchOptions& search) {
  return module_model(load_run(run).model, search);
}

}  // namespace dragoman
