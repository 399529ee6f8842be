#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/embedding.h"
#include "dragoman/model/encoder.h"

#include <torch/nn.h>

#include <cstdint>

namespace dragoman {

/// An encoder alone that tells what class a text is of (as BERT does, Devlin et al. 2019): embedding,
/// encoder, one vector for the text (`options.pooling`), a linear map. Of the options those of the
/// decoder and of the generator have no effect.
class ClassifierImpl : public torch::nn::Module {
 public:
  /// \throws OptionsError if `options.validate()` does.
  ClassifierImpl(const ModelOptions& options, std::int64_t vocab_size, std::int64_t classes);

  /// \param ids [batch, len] int64
  /// \param mask [batch, len] bool, true = a real token, each text with at least one
  /// \return logits [batch, classes]
  torch::Tensor forward(const torch::Tensor& ids, const torch::Tensor& mask);

  const ModelOptions& options() const { return options_; }

 private:
  /// [batch, len, d_model] -> [batch, d_model]
  torch::Tensor pool(const torch::Tensor& hidden, const torch::Tensor& mask) const;

  ModelOptions options_;
  PositionalEncoding positions_{nullptr};
  Embedding embedding_{nullptr};
  Encoder encoder_{nullptr};
  Linear output_{nullptr};
};

TORCH_MODULE(Classifier);

}  // namespace dragoman
