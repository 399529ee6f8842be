#include "dragoman/decoding/pack_weights.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/model/linear.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/initialisation.h"

namespace dragoman {

namespace {

Transformer sharing_copy(const Transformer& model) {
  const SkipInitialisation shared_instead;
  Transformer copy(model->options(), model->vocabulary());
  const auto parameters = model->named_parameters();
  for (auto& parameter : copy->named_parameters())
    parameter.value().set_data(parameters[parameter.key()].detach());
  return copy;
}

}  // namespace

Transformer with_packed_weights(const Transformer& model, WeightType type) {
  auto copy = sharing_copy(model);
  copy->eval();
  if (type == WeightType::float32 && !has_packed_kernel(type)) return copy;
  for (const auto& module : copy->modules()) {
    auto* linear = module->as<LinearImpl>();
    if (linear != nullptr && linear->weight().numel() > 0) linear->pack(type);
    if (auto* generator = module->as<GeneratorImpl>()) generator->pack(type);
  }
  return copy;
}

Transformer with_weights_in(const Transformer& model, WeightType type) {
  if (type == WeightType::int8)
    throw OptionsError(concat("search.precision: int8 is computed on a CPU, not on ",
                              device_of(*model).str(),
                              "; choose float32 or bf16, or the device cpu"));
  auto result = sharing_copy(model);
  if (type == WeightType::bf16) result->to(at::kBFloat16);
  result->eval();
  return result;
}

}  // namespace dragoman
