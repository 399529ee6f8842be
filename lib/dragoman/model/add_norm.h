#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/layer_norm.h"

namespace dragoman {

/// "Add & Norm" around a sub-layer (section 3.1), with dropout on the sub-layer's output (section
/// 5.4): y = after(x, Sublayer(before(x))). Post-norm, as printed: LayerNorm(x + Sublayer(x)).
/// Pre-norm: x + Sublayer(LayerNorm(x)). Without `options.residual`, x is not added. It derives
/// from the layer norm so that gamma and beta are parameters of this module itself.
class AddNormImpl : public LayerNormImpl {
 public:
  explicit AddNormImpl(const ModelOptions& options);

  /// The sub-layer's input, of the shape of `x`. \param x [batch, len, d_model]
  torch::Tensor before(const torch::Tensor& x) const;

  /// \param x [batch, len, d_model]
  /// \param change the sub-layer's output, of the same shape
  torch::Tensor after(const torch::Tensor& x, const torch::Tensor& change) const;

  /// What the keys and values of self-attention are made of. \param input `before(x)`
  const torch::Tensor& key_value_input(const torch::Tensor& x, const torch::Tensor& input) const {
    return norm_keys_ ? input : x;
  }

 private:
  using LayerNormImpl::forward;  // the norm alone

  NormPosition norm_;
  double dropout_;
  bool residual_, norm_keys_;
};

TORCH_MODULE(AddNorm);

}  // namespace dragoman
