#include "dragoman/model/residual.h"

#include "dragoman/tensor/dropout.h"

namespace dragoman {

ResidualImpl::ResidualImpl(const ModelOptions& options)
    : LayerNormImpl(options.d_model, options.layer_norm_eps),
      norm_(options.norm),
      dropout_(options.residual_dropout_rate()),
      residual_(options.residual),
      norm_keys_(options.norm_keys) {}

torch::Tensor ResidualImpl::add(const torch::Tensor& x, const torch::Tensor& change) const {
  return residual_ ? add_dropout(x, change, dropout_, is_training())
                   : dragoman::dropout(change, dropout_, is_training());
}

}  // namespace dragoman
