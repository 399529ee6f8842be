#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/layer_norm.h"
#include "dragoman/model/positional_encoding.h"

#include <torch/nn.h>

#include <cstdint>

namespace dragoman {

/// What one side of a model adds to an embedding that both may share.
struct EmbeddingUse {
  std::int64_t start = 0;    ///< position of the first token, without `position_offset`
  LayerNorm norm{nullptr};   ///< of the sum with the positions; null = none
  torch::Tensor first = {};  ///< [d_model]: stands for the scaled embedding at position 0, if given
  torch::Tensor kept = {};   ///< [batch, len] bool: where it is false, the embedding is 0, and the
                             ///< position alone is read (token cutoff); undefined = all are kept
};

/// Maps tokens to vectors: embedding * sqrt(d_model) + positions (sections 3.4 and 3.5), then a
/// layer norm, if there is one, and dropout.
class EmbeddingImpl : public torch::nn::Module {
 public:
  /// \param vocab_size rows of the vocabulary matrix
  /// \param positions registered by its owner, since both sides of a model share it
  EmbeddingImpl(const ModelOptions& options, std::int64_t vocab_size,
                const PositionalEncoding& positions);

  /// \param ids [batch, len] int64
  /// \return [batch, len, d_model]
  torch::Tensor forward(const torch::Tensor& ids, const EmbeddingUse& use = {});

  const torch::Tensor& weight() const { return weight_; }  ///< [vocab_size, d_model]

 private:
  /// The scaled vectors with `first` at their beginning.
  static torch::Tensor with_first(const torch::Tensor& scaled, const torch::Tensor& first);

  /// `x` with zeros where it is not kept; `x` itself if `kept` is undefined.
  static torch::Tensor cut_off(const torch::Tensor& x, const torch::Tensor& kept);

  double scale_;
  double dropout_;
  torch::Tensor weight_;
  PositionalEncoding positions_;
};

TORCH_MODULE(Embedding);

}  // namespace dragoman
