#include "dragoman/model/activation.h"

#include <ATen/ATen.h>

namespace dragoman {

at::Tensor activate(at::Tensor x, Activation activation) {
  switch (activation) {
    // The gradient of relu follows from its result; on a view, autograd would copy.
    case Activation::relu: return x.is_view() ? x.relu() : x.relu_();
    case Activation::gelu_sigmoid: return x * (x * 1.702).sigmoid_();
    case Activation::swish: return at::silu(x);
    case Activation::gelu: return at::gelu(x);
    case Activation::gelu_tanh: return at::gelu(x, "tanh");
  }
  return x;
}

}  // namespace dragoman
