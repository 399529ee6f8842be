#include "dragoman/model/feed_forward.h"

#include "dragoman/model/activation.h"
#include "dragoman/tensor/dropout.h"
#include "dragoman/tensor/relu_network.h"

namespace dragoman {

FeedForwardImpl::FeedForwardImpl(const ModelOptions& options, std::int64_t d_ff)
    : activation_(options.activation),
      dropout_(options.activation_dropout_rate()),
      inner_(register_module("inner",
                             Linear(LinearOptions{.inputs = options.d_model, .outputs = d_ff}))),
      outer_(register_module("outer",
                             Linear(LinearOptions{.inputs = d_ff, .outputs = options.d_model}))) {}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
  const LinearMap inner{inner_->weight(), inner_->bias()}, outer{outer_->weight(), outer_->bias()};
  if (activation_ == Activation::relu && is_training() && suits_relu_network(x, inner, outer))
    return relu_network(x, inner, outer, dropout_);
  const auto hidden = activation_ == Activation::relu ? inner_->forward_relu(x)
                                                      : activate(inner_->forward(x), activation_);
  return outer_->forward(dragoman::dropout(hidden, dropout_, is_training()));
}

}  // namespace dragoman
