#include "dragoman/model/convolution.h"

namespace dragoman {

ConvolutionImpl::ConvolutionImpl(const ModelOptions& model)
    : torch::nn::Conv1dImpl(torch::nn::Conv1dOptions(model.d_model, model.d_model, model.conv_width)
                                .padding(model.conv_width / 2)) {}

torch::Tensor ConvolutionImpl::forward(const torch::Tensor& x, const torch::Tensor& real) {
  const auto visible = real.defined() ? x.masked_fill(real.logical_not().unsqueeze(2), 0.0) : x;
  return torch::nn::Conv1dImpl::forward(visible.transpose(1, 2)).transpose(1, 2);
}

}  // namespace dragoman
