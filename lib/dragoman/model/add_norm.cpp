#include "dragoman/model/add_norm.h"

#include "dragoman/tensor/dropout.h"

namespace dragoman {

AddNormImpl::AddNormImpl(const ModelOptions& options)
    : LayerNormImpl(options.d_model, options.layer_norm_eps),
      norm_(options.norm),
      dropout_(options.residual_dropout_rate()),
      residual_(options.residual),
      norm_keys_(options.norm_keys) {}

torch::Tensor AddNormImpl::before(const torch::Tensor& x) const {
  return norm_ == NormPosition::pre ? forward(x) : x;
}

torch::Tensor AddNormImpl::after(const torch::Tensor& x, const torch::Tensor& change) const {
  const auto sum = residual_ ? add_dropout(x, change, dropout_, is_training())
                             : dragoman::dropout(change, dropout_, is_training());
  return norm_ == NormPosition::post ? forward(sum) : sum;
}

}  // namespace dragoman
