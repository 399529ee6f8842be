#include "dragoman/model/pack_weights.h"

#include "dragoman/model/linear.h"

namespace dragoman {

void pack_weights(TransformerImpl& model, WeightType type) {
  // Without suitable instructions, LibTorch's own product is the fastest.
  if (type == WeightType::float32 && !has_packed_kernel(type)) return;
  for (const auto& module : model.modules()) {
    auto* linear = module->as<LinearImpl>();
    if (linear != nullptr && linear->weight().numel() > 0) linear->pack(type);
    if (auto* generator = module->as<GeneratorImpl>()) generator->pack(type);
  }
}

}  // namespace dragoman
