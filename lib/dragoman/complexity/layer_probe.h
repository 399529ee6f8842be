#pragma once

#include "dragoman/complexity/layer_part.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace dragoman {

/// A part of a network that can be run, with random weights.
struct LayerProbe {
  /// [batch, length, d_model] -> the same shape
  std::function<at::Tensor(const at::Tensor& x)> run;
  std::vector<at::Tensor> weights;  ///< they require gradients
};

/// Attention sees the whole sequence, with x as queries, keys and values; recurrent layers and the
/// convolution see only the past. Weights are drawn from LibTorch's generator.
/// \param type float32 or float64
LayerProbe make_layer_probe(LayerPart part, const LayerSizes& sizes,
                            at::ScalarType type = at::kFloat);

/// Multi-head self-attention with its projections: `attention` and `projections` together.
LayerProbe make_self_attention_probe(const LayerSizes& sizes);

}  // namespace dragoman
