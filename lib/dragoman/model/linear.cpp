#include "dragoman/model/linear.h"

#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/initialisation.h"

namespace dragoman {

LinearImpl::LinearImpl(const LinearOptions& options)
    : weight_(register_parameter(
          "weight", xavier_uniform(options.outputs, options.inputs, options.stacked))) {
  if (options.bias) bias_ = register_parameter("bias", torch::zeros({options.outputs}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) const {
  if (packed_) return packed_->multiply(x);
  if (!bf16_.weight.defined()) return at::linear(x, weight_, bias_);
  const auto input = as_product_input(x);
  return input.scalar_type() == torch::kBFloat16 ? bf16_linear(input, {weight_, bias_}, bf16_)
                                                 : at::linear(x, weight_, bias_);
}

}  // namespace dragoman
