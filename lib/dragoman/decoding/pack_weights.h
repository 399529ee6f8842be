#pragma once

#include "dragoman/config/weight_type.h"
#include "dragoman/model/transformer.h"

namespace dragoman {

/// A copy of the model in evaluation mode, for inference, whose linear maps and generator read
/// their weights packed for this processor (see PackedLinear) and hold no float32 matrix of their
/// own. It shares the other parameters with `model`, which stays as it is; changing its matrices
/// afterwards has no effect on what is packed. Where this processor has no suitable instructions,
/// float32 products stay LibTorch's, which are then the fastest, and all parameters are shared.
/// \param model on the CPU
/// \throws DataError if a weight is not finite
Transformer with_packed_weights(const Transformer& model, WeightType type);

/// A copy of the model in evaluation mode, for inference on the same device. In float32 it shares
/// all parameters with `model`; in bf16 it has its own, of that type.
/// \throws OptionsError if `type` is int8, which only packed weights can have
Transformer with_weights_in(const Transformer& model, WeightType type);

}  // namespace dragoman
