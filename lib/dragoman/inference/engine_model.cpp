#include "dragoman/inference/engine_model.h"

#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/inference/engine_worker.h"

namespace dragoman {

std::unique_ptr<InferenceWorker> EngineModel::make_worker(const InferenceOptions& options) const {
  if (!options.shortlist) return std::make_unique<EngineWorker>(weights_, options, nullptr);
  std::call_once(outputs_made_, [&] { generator_outputs_.emplace(weights_.generator); });
  return std::make_unique<EngineWorker>(weights_, options, &*generator_outputs_);
}

std::string EngineModel::description() const {
  const auto type = weights_.generator.type();
  return concat(option_text(type), " weights packed for ", packed_instructions(type));
}

}  // namespace dragoman
