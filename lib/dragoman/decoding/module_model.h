#pragma once

#include "dragoman/inference/inference_model.h"
#include "dragoman/model/transformer.h"

#include <memory>

namespace dragoman {

/// A model for inference that computes by its modules, on their device: the reference for
/// EngineModel, and the fallback for models that it does not support. float32 weights on a CPU are
/// packed in `search.precision` (`with_packed_weights`) unless `packed` is false; others on a CPU
/// are used as they are, whatever the precision; on other devices they are in
/// `search.precision` (`with_weights_in`).
/// \throws OptionsError if the precision is int8 and the model on another device than the CPU
std::shared_ptr<const InferenceModel> module_model(const Transformer& model,
                                                   const SearchOptions& search, bool packed = true);

/// A model for inference with the weights that `model` has now, by EngineModel if it suits: float32
/// on the CPU, where `engine_lacks` nothing and `search.cache` is on; else by `module_model`.
/// \throws DataError if a weight is not finite; as `module_model`
std::shared_ptr<const InferenceModel> inference_model(const Transformer& model,
                                                      const SearchOptions& search = {});

}  // namespace dragoman
