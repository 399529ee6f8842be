#pragma once

#include "dragoman/cost/layer_part.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace dragoman {

/// A part of a network that can be run, with random weights.
struct LayerProbe {
  /// [batch, length, d_model] -> the same shape
  std::function<at::Tensor(const at::Tensor& x)> run;
  std::vector<at::Tensor> weights;  ///< they want gradients
};

/// Attention sees the whole sequence, with x for queries, keys and values; recurrent layers and the
/// convolution see the past. LibTorch's generator gives the weights.
/// \param type float32 or float64
LayerProbe make_layer_probe(LayerPart part, const LayerSizes& sizes, at::ScalarType type = at::kFloat);

/// Multi-head self-attention with its projections: `attention` and `projections` together.
LayerProbe make_self_attention_probe(const LayerSizes& sizes);

}  // namespace dragoman
