#pragma once

#include "dragoman/data/batch.h"
#include "dragoman/model/transformer.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// The 2-norm of the gradient of all weights of each layer.
struct GradientNorms {
  std::vector<double> encoder;  ///< one for each layer, the first first
  std::vector<double> decoder;
};

/// Of the loss of one batch, nats a piece, without dropout and label smoothing: how much of the
/// gradient arrives where.
GradientNorms layer_gradients(Transformer model, const Batch& batch);

}  // namespace dragoman
