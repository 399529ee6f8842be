#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/embedding.h"
#include "dragoman/model/encoder.h"

#include <torch/nn.h>

#include <cstdint>

namespace dragoman {

/// An encoder-only text classifier (like BERT, Devlin et al. 2019): embedding, encoder, one vector
/// per text (`options.pooling`), linear map. The options of the decoder and the generator have no
/// effect.
class ClassifierImpl : public torch::nn::Module {
 public:
  /// \throws OptionsError if `options.validate()` does.
  ClassifierImpl(const ModelOptions& options, std::int64_t vocab_size, std::int64_t classes);

  /// \param ids [batch, len] int64
  /// \param mask [batch, len] bool, true = a real token; at least one per text
  /// \return logits [batch, classes]
  torch::Tensor forward(const torch::Tensor& ids, const torch::Tensor& mask);

  /// As `Transformer::recompute`. \param segment layers; 0 = everything is kept
  void recompute(std::int64_t segment) { encoder_->recompute(segment); }

 private:
  /// [batch, len, d_model] -> [batch, d_model]
  torch::Tensor pool(const torch::Tensor& hidden, const torch::Tensor& mask) const;

  ModelOptions options_;
  PositionalEncoding positions_{nullptr};
  Embedding embedding_{nullptr};
  LayerNorm embedding_norm_{nullptr};
  Encoder encoder_{nullptr};
  Linear output_{nullptr};
};

TORCH_MODULE(Classifier);

}  // namespace dragoman
