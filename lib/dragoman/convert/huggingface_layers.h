#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/convert/huggingface_config.h"
#include "dragoman/convert/huggingface_weights.h"
#include "dragoman/run/tensor_file.h"

#include <cstdint>

namespace dragoman {

/// The options that MarianMT, M2M100 and mBART spell alike: sizes, activation, dropout.
/// \throws FormatError naming an option that cannot be expressed
ModelOptions huggingface_sizes(const HuggingFaceConfig& config);

/// The layers of both stacks under the names of `Transformer`, with their final norms if they are
/// pre-norm. \throws FormatError as `HuggingFaceWeights::tensor` does
NamedTensors huggingface_layers(const HuggingFaceWeights& weights, const ModelOptions& options);

/// What the configuration says of the matrices of the vocabularies.
struct HuggingFaceEmbeddings {
  std::int64_t source_rows = 0, target_rows = 0;
  bool shared = true;  ///< source and target have one embedding
  bool tied = true;    ///< the output has no matrix of its own, unless the file holds one
  const char* shared_because = "";  ///< for a message: "by OPTION; remedy"
};

/// Adds the matrices of the vocabularies and sets how they are shared. A file may hold any of the
/// names of shared matrices; a matrix of the output is used as it is, whatever `tied` says.
/// \throws FormatError if a matrix is missing, or names of one matrix have different numbers
void add_huggingface_embeddings(const HuggingFaceWeights& weights,
                                const HuggingFaceEmbeddings& embeddings, ModelOptions& options,
                                NamedTensors& tensors);

/// The longest text that the positions of the configuration leave room for, without EOS.
/// \throws FormatError if they leave none
std::int64_t huggingface_longest_text(const HuggingFaceConfig& config, std::int64_t or_else);

}  // namespace dragoman
