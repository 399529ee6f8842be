#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/convert/huggingface_config.h"
#include "dragoman/convert/huggingface_weights.h"
#include "dragoman/run/tensor_file.h"

namespace dragoman {

/// The options that MarianMT, M2M100 and mBART spell alike: sizes, activation, dropout.
/// \throws FormatError naming an option that cannot be expressed
ModelOptions huggingface_sizes(const HuggingFaceConfig& config);

/// The layers of both stacks under the names of `Transformer`, with their final norms if they are
/// pre-norm. \throws FormatError as `HuggingFaceWeights::tensor` does
NamedTensors huggingface_layers(const HuggingFaceWeights& weights, const ModelOptions& options);

/// Adds the matrices of the vocabularies and sets how they are shared. A file may hold any of the
/// names of shared matrices; a matrix of the output is used as it is.
/// \param shared whether source and target have one embedding
/// \throws FormatError if names of one matrix have different numbers
void add_huggingface_embeddings(const HuggingFaceWeights& weights, std::int64_t source_rows,
                                std::int64_t target_rows, bool shared, ModelOptions& options,
                                NamedTensors& tensors);

}  // namespace dragoman
