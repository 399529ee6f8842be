#pragma once

#include "dragoman/data/batch.h"
#include "dragoman/model/transformer.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// The 2-norm of the gradient of all weights of each layer.
struct GradientNorms {
  std::vector<double> encoder;  ///< one per layer, starting with the first
  std::vector<double> decoder;
};

/// Gradient norms of the loss of one batch, nats per piece, without dropout and label smoothing.
GradientNorms layer_gradients(Transformer model, const Batch& batch);

}  // namespace dragoman
