#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/layer_norm.h"

#include <utility>

namespace dragoman {

/// "Add & Norm" around a sub-layer (section 3.1), with dropout on the sub-layer's output (section
/// 5.4). Post-norm, as printed: LayerNorm(x + Sublayer(x)). Pre-norm: x + Sublayer(LayerNorm(x)).
/// Without `options.residual`, x is not added.
class ResidualImpl : public LayerNormImpl {
 public:
  explicit ResidualImpl(const ModelOptions& options);

  /// \param x [batch, len, d_model]
  /// \param sublayer [batch, len, d_model] -> the same shape
  template <typename Sublayer>
  torch::Tensor forward(const torch::Tensor& x, Sublayer&& sublayer) const {
    if (norm_ == NormPosition::pre)
      return add(x, std::forward<Sublayer>(sublayer)(LayerNormImpl::forward(x)));
    return LayerNormImpl::forward(add(x, std::forward<Sublayer>(sublayer)(x)));
  }

 private:
  torch::Tensor add(const torch::Tensor& x, const torch::Tensor& change) const;

  NormPosition norm_;
  double dropout_;
  bool residual_;
};

TORCH_MODULE(Residual);

}  // namespace dragoman
