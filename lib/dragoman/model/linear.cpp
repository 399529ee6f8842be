#include "dragoman/model/linear.h"

#include "dragoman/model/activation.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/initialisation.h"

#include <utility>

namespace dragoman {

LinearImpl::LinearImpl(const LinearOptions& options)
    : weight_(register_parameter(
          "weight", xavier_uniform(options.outputs, options.inputs, options.stacked))) {
  if (options.bias) bias_ = register_parameter("bias", torch::zeros({options.outputs}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) const {
  if (packed_) return packed_->multiply(x);
  const auto result = bf16_product(x, Epilogue::none);
  return result.defined() ? result : at::linear(x, weight_, bias_);
}

torch::Tensor LinearImpl::forward_relu(const torch::Tensor& x) const {
  const auto result = bf16_product(x, Epilogue::relu);
  return result.defined() ? result : activate(forward(x), Activation::relu);
}

torch::Tensor LinearImpl::bf16_product(const torch::Tensor& x, Epilogue epilogue) const {
  if (packed_ || !rounded_.weight.defined()) return {};
  const auto input = as_product_input(x);
  if (input.scalar_type() != torch::kBFloat16) return {};
  return bf16_linear(input, {weight_, bias_}, rounded_, epilogue);
}

void LinearImpl::pack(WeightType type) {
  packed_ = std::make_shared<const PackedLinear>(weight_, bias_, type);
  weight_.set_data(weight_.detach().new_empty({weight_.size(0), 0}));
}

void LinearImpl::share_bf16(LinearMap copy) { rounded_ = std::move(copy); }

}  // namespace dragoman
