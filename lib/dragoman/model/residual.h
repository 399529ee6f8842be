#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/layer_norm.h"

#include <utility>

namespace dragoman {

/// "Add & Norm" around a sub-layer (section 3.1), with dropout on the sub-layer's output (section
/// 5.4). Post-norm, as printed: LayerNorm(x + Sublayer(x)). Pre-norm: x + Sublayer(LayerNorm(x)).
/// Without `options.residual`, x is not added. It derives from the layer norm so that gamma and
/// beta are parameters of this module itself.
class ResidualImpl : public LayerNormImpl {
 public:
  explicit ResidualImpl(const ModelOptions& options);

  /// \param x [batch, len, d_model]
  /// \param sublayer [batch, len, d_model] -> the same shape
  template <typename Sublayer>
  torch::Tensor forward(const torch::Tensor& x, Sublayer&& sublayer) const {
    return wrap(x, [&](const auto& norm) { return std::forward<Sublayer>(sublayer)(norm(x)); });
  }

  /// What keys and values of self-attention are made of: \param normed what `forward` gives to its
  /// sub-layer for `x`
  const torch::Tensor& key_value_input(const torch::Tensor& x, const torch::Tensor& normed) const {
    return norm_keys_ ? normed : x;
  }

  /// The same around a sub-layer that itself chooses what a pre-norm layer normalises.
  /// \param sublayer called with that norm, which in a post-norm layer changes nothing; [batch,
  ///     len, d_model] -> the same shape
  template <typename Sublayer>
  torch::Tensor wrap(const torch::Tensor& x, Sublayer&& sublayer) const {
    if (norm_ == NormPosition::pre)
      return add(x, std::forward<Sublayer>(sublayer)([this](const torch::Tensor& input) {
                   return LayerNormImpl::forward(input);
                 }));
    return LayerNormImpl::forward(
        add(x, std::forward<Sublayer>(sublayer)([](const torch::Tensor& input) { return input; })));
  }

 private:
  torch::Tensor add(const torch::Tensor& x, const torch::Tensor& change) const;

  NormPosition norm_;
  double dropout_;
  bool residual_, norm_keys_;
};

TORCH_MODULE(Residual);

}  // namespace dragoman
