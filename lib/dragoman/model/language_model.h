#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/decoder.h"
#include "dragoman/model/embedding.h"
#include "dragoman/model/generator.h"

#include <torch/nn.h>

#include <cstdint>

namespace dragoman {

/// A decoder-only model that predicts the next token of a text (like GPT, Radford et al. 2018):
/// embedding, decoder layers without memory, generator. The options of the encoder have no effect;
/// embedding and generator share a matrix unless `share_embeddings` is `none`.
class LanguageModelImpl : public torch::nn::Module {
 public:
  /// \throws OptionsError if `options.validate()` does, or for a `start_vector` other than `token`
  LanguageModelImpl(const ModelOptions& options, std::int64_t vocab_size);

  /// All positions in one pass; each sees itself and those before it. Padding follows the real
  /// tokens, so none of them sees it.
  /// \param ids [batch, len] int64: bos y1 .. yn
  /// \return [batch, len, d_model], for the generator
  torch::Tensor forward(const torch::Tensor& ids);

  /// Starts step-by-step generation; no row has received a token yet.
  DecoderState start();

  /// Advances each row by one token. No gradient is recorded.
  /// \param tokens [rows] int64
  /// \return [rows, d_model], for the generator
  torch::Tensor advance(const torch::Tensor& tokens, DecoderState& state);

  /// As `Transformer::recompute`. \param segment layers; 0 = everything is kept
  void recompute(std::int64_t segment) { decoder_->recompute(segment); }

  const Generator& generator() const { return generator_; }

 private:
  ModelOptions options_;
  PositionalEncoding positions_{nullptr};
  Embedding embedding_{nullptr};
  LayerNorm embedding_norm_{nullptr};
  Decoder decoder_{nullptr};
  Generator generator_{nullptr};
};

TORCH_MODULE(LanguageModel);

}  // namespace dragoman
