#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/convert/marian_weights.h"
#include "dragoman/run/tensor_file.h"

#include <utility>

namespace dragoman {

/// Rows of the vocabularies, source and target, as the options say. \throws FormatError
std::pair<std::int64_t, std::int64_t> marian_vocabulary_sizes(const MarianWeights& weights);

/// The model that the options of the file describe: Marian's own positions, epsilon and zero start.
/// \throws FormatError naming an option, with its value, that cannot be expressed
ModelOptions marian_model_options(const MarianWeights& weights);

/// The parameters under the names of `Transformer`.
/// \throws FormatError if one is missing, unknown or of another shape
NamedTensors marian_tensors(const MarianWeights& weights, const ModelOptions& options);

}  // namespace dragoman
