#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/decoder.h"
#include "dragoman/model/embedding.h"
#include "dragoman/model/generator.h"

#include <torch/nn.h>

#include <cstdint>

namespace dragoman {

/// A decoder alone that foretells the next token of a text (as GPT does, Radford et al. 2018):
/// embedding, decoder layers that look at no memory, generator. Of the options those of the encoder
/// have no effect; embedding and generator share a matrix unless `share_embeddings` is `none`.
class LanguageModelImpl : public torch::nn::Module {
 public:
  /// \throws OptionsError if `options.validate()` does.
  LanguageModelImpl(const ModelOptions& options, std::int64_t vocab_size);

  /// All positions in one pass; each sees those before it and itself. Padding stands behind the
  /// real tokens, so none of them sees it.
  /// \param ids [batch, len] int64: bos y1 .. yn
  /// \return [batch, len, d_model], for the generator
  torch::Tensor forward(const torch::Tensor& ids);

  /// Starts step-by-step generation; no token has been given to any row yet.
  DecoderState start();

  /// One more token for each row. There is no gradient.
  /// \param tokens [rows] int64
  /// \return [rows, d_model], for the generator
  torch::Tensor advance(const torch::Tensor& tokens, DecoderState& state);

  const ModelOptions& options() const { return options_; }
  const Generator& generator() const { return generator_; }

 private:
  ModelOptions options_;
  PositionalEncoding positions_{nullptr};
  Embedding embedding_{nullptr};
  Decoder decoder_{nullptr};
  Generator generator_{nullptr};
};

TORCH_MODULE(LanguageModel);

}  // namespace dragoman
