#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/positional_encoding.h"

#include <torch/nn.h>

#include <cstdint>

namespace dragoman {

/// Maps tokens to vectors: embedding * sqrt(d_model) + positions (sections 3.4 and 3.5), then
/// dropout.
class EmbeddingImpl : public torch::nn::Module {
 public:
  /// \param vocab_size rows of the vocabulary matrix
  /// \param positions registered by its owner, since both sides of a model share it
  EmbeddingImpl(const ModelOptions& options, std::int64_t vocab_size,
                const PositionalEncoding& positions);

  /// \param ids [batch, len] int64
  /// \param start position of the first token
  /// \return [batch, len, d_model]
  torch::Tensor forward(const torch::Tensor& ids, std::int64_t start = 0);

  const torch::Tensor& weight() const { return weight_; }  ///< [vocab_size, d_model]

 private:
  double scale_;
  double dropout_;
  torch::Tensor weight_;
  PositionalEncoding positions_;
};

TORCH_MODULE(Embedding);

}  // namespace dragoman
