#pragma once

#include "dragoman/model/transformer.h"
#include "dragoman/tensor/packed_matrix.h"

namespace dragoman {

/// Packs the matrices of all linear maps, including the generator, to make translation faster.
/// Embeddings, layer norms and biases stay float32, and so do the parameters, which are what is
/// saved. The model must not be trained afterwards.
/// \param model float32 on the CPU
/// \throws DataError if a weight is not a finite number
void pack_weights(TransformerImpl& model, WeightType type);

}  // namespace dragoman
