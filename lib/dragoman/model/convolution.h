#pragma once

#include "dragoman/config/model_options.h"

#include <torch/nn.h>

namespace dragoman {

/// A convolution along the sentence (compared with self-attention in section 4): each position
/// becomes a linear map of itself and its neighbours, `conv_width` positions in all. Positions
/// beyond both ends and padding are zeros. LibTorch provides the computation and initialises the
/// weights.
class ConvolutionImpl : public torch::nn::Conv1dImpl {
 public:
  explicit ConvolutionImpl(const ModelOptions& model);

  /// \param x [batch, len, d_model]
  /// \param real [batch, len] bool, true = a real token; undefined = all are
  /// \return [batch, len, d_model]
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& real);
};

TORCH_MODULE(Convolution);

}  // namespace dragoman
