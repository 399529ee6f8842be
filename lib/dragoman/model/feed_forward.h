#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/linear.h"

namespace dragoman {

/// The position-wise feed-forward network max(0, x W1 + b1) W2 + b2 (section 3.3), or with another
/// activation. Dropout is applied after the activation.
class FeedForwardImpl : public torch::nn::Module {
 public:
  /// \param d_ff features inside
  FeedForwardImpl(const ModelOptions& options, std::int64_t d_ff);

  /// \param x [batch, len, d_model]
  /// \return [batch, len, d_model]
  torch::Tensor forward(const torch::Tensor& x);

 private:
  Activation activation_;
  double dropout_;
  Linear inner_, outer_;
};

TORCH_MODULE(FeedForward);

}  // namespace dragoman
