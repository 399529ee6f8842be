#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/convert/marian_weights.h"
#include "dragoman/run/tensor_file.h"

namespace dragoman {

/// The parameters under the names of `Transformer`. Decoder layers that share theirs get copies.
/// \param options from `marian_model_options`
/// \throws FormatError if one is missing, unknown or of another shape
NamedTensors marian_tensors(const MarianWeights& weights, const ModelOptions& options);

}  // namespace dragoman
