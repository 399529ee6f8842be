#include "dragoman/model/linear.h"

#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/initialisation.h"
#include "dragoman/tensor/packed_linear.h"

#include <memory>
#include <utility>

namespace dragoman {

LinearImpl::LinearImpl(const LinearOptions& options)
    : weight_(register_parameter(
          "weight", xavier_uniform(options.outputs, options.inputs, options.stacked))) {
  if (options.bias) bias_ = register_parameter("bias", torch::zeros({options.outputs}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) const {
  return product_ ? product_(x) : at::linear(x, weight_, bias_);
}

void LinearImpl::pack(WeightType type) {
  product_ = [packed = std::make_shared<const PackedLinear>(weight_, bias_, type)](const auto& x) {
    return packed->multiply(x);
  };
  weight_.set_data(weight_.detach().new_empty({weight_.size(0), 0}));
}

void LinearImpl::share_bf16(LinearMap copy) {
  product_ = [own = LinearMap{weight_, bias_}, rounded = std::move(copy)](const torch::Tensor& x) {
    const auto input = as_product_input(x);
    return input.scalar_type() == torch::kBFloat16 ? bf16_linear(input, own, rounded)
                                                   : at::linear(x, own.weight, own.bias);
  };
}

}  // namespace dragoman
