#include "dragoman/model/feed_forward.h"

#include "dragoman/tensor/dropout.h"

namespace dragoman {

namespace {

/// No one else holds `x`, and the gradient of relu follows from its result, so it may work in
/// place; on a view, autograd would copy.
torch::Tensor activate(torch::Tensor x, Activation activation) {
  switch (activation) {
    case Activation::relu: return x.is_view() ? x.relu() : x.relu_();
    case Activation::gelu_sigmoid: return x * (x * 1.702).sigmoid_();
    case Activation::swish: return at::silu(x);
    case Activation::gelu: return at::gelu(x);
    case Activation::gelu_tanh: return at::gelu(x, "tanh");
  }
  return x;
}

}  // namespace

FeedForwardImpl::FeedForwardImpl(const ModelOptions& options, std::int64_t d_ff)
    : activation_(options.activation),
      dropout_(options.activation_dropout_rate()),
      inner_(register_module("inner",
                             Linear(LinearOptions{.inputs = options.d_model, .outputs = d_ff}))),
      outer_(register_module("outer",
                             Linear(LinearOptions{.inputs = d_ff, .outputs = options.d_model}))) {}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
  const auto hidden = activate(inner_->forward(x), activation_);
  return outer_->forward(dragoman::dropout(hidden, dropout_, is_training()));
}

}  // namespace dragoman
