#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/tensor/packed_linear.h"

#include <torch/nn.h>

#include <cstdint>
#include <memory>

namespace dragoman {

/// The linear map before the softmax (figure 1, section 3.4).
class GeneratorImpl : public torch::nn::Module {
 public:
  /// With its own matrix.
  GeneratorImpl(const ModelOptions& options, std::int64_t vocab_size);

  /// With the matrix of an embedding, which registers and owns it.
  /// \param shared [vocab_size, d_model]
  GeneratorImpl(const ModelOptions& options, const torch::Tensor& shared);

  /// \param x [..., d_model]
  /// \return logits [..., vocab_size]
  torch::Tensor forward(const torch::Tensor& x) const {
    return packed_ ? packed_->multiply(x) : at::linear(x, weight_, bias_);
  }

  /// From now on, `forward` reads a packed copy of the weights, see PackedLinear; a matrix of its
  /// own becomes [vocab_size, 0], as in LinearImpl.
  void pack(WeightType type);

  const torch::Tensor& weight() const { return weight_; }  ///< [vocab_size, d_model], unless packed
  const torch::Tensor& bias() const { return bias_; }      ///< [vocab_size] or undefined

 private:
  torch::Tensor weight_, bias_;
  std::shared_ptr<const PackedLinear> packed_;
};

TORCH_MODULE(Generator);

}  // namespace dragoman
