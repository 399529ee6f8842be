#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/config/vocabulary_sizes.h"
#include "dragoman/model/decoder.h"
#include "dragoman/model/embedding.h"
#include "dragoman/model/encoder.h"
#include "dragoman/model/generator.h"

#include <torch/nn.h>

namespace dragoman {

/// The Transformer (figure 1): encoder, decoder, embeddings and generator.
///
/// Its passes throw DataError for a sentence longer than learned positions or low-rank attention
/// allow, and OptionsError for one whose attention weights exceed `limit_mb`.
class TransformerImpl : public torch::nn::Module {
 public:
  /// \throws OptionsError if `options.validate()` does, or if source and target share their
  ///     embeddings and the vocabularies differ in size.
  TransformerImpl(const ModelOptions& options, const VocabularySizes& vocabulary);

  /// \param source [batch, source_len] int64
  /// \param source_mask [batch, source_len] bool, true = a real token
  /// \param record attention weights are appended to it, if given
  /// \return memory [batch, source_len, d_model]
  torch::Tensor encode(const torch::Tensor& source, const torch::Tensor& source_mask,
                       AttentionRecord* record = nullptr);

  /// What the encoder reads: [batch, source_len, d_model]. \param source [batch, source_len] int64
  /// \param kept [batch, source_len] bool, false = the embedding is cut off; undefined = none is
  torch::Tensor embed_source(const torch::Tensor& source, const torch::Tensor& kept = {});

  /// What the decoder reads: [batch, target_len, d_model].
  /// \param target_input [batch, target_len] int64
  /// \param start position of the first of them
  /// \param kept as for the source
  torch::Tensor embed_target(const torch::Tensor& target_input, std::int64_t start = 0,
                             const torch::Tensor& kept = {});

  /// What the encoder's self-attention may read. \param source [batch, source_len] int64
  /// \param source_mask [batch, source_len] bool, true = a real token
  AttentionMask encoder_mask(const torch::Tensor& source, const torch::Tensor& source_mask) const;

  /// `encode` and `decode` of what `embed_source` and `embed_target` have returned.
  /// \param embedded [batch, source_len or target_len, d_model]; the rest as for those
  /// \return [batch, source_len or target_len, d_model]
  torch::Tensor encode_embedded(const torch::Tensor& embedded, const torch::Tensor& source,
                                const torch::Tensor& source_mask,
                                AttentionRecord* record = nullptr);
  torch::Tensor decode_embedded(const torch::Tensor& embedded, const torch::Tensor& memory,
                                const torch::Tensor& source_mask,
                                AttentionRecord* record = nullptr);

  /// All positions in one pass under a causal mask (teacher forcing). Target padding follows the
  /// real tokens, so the causal mask hides it.
  /// \param target_input [batch, target_len] int64
  /// \param memory [batch, source_len, d_model]
  /// \param source_mask [batch, source_len] bool
  /// \param record attention weights are appended to it, if given
  /// \return [batch, target_len, d_model]
  torch::Tensor decode(const torch::Tensor& target_input, const torch::Tensor& memory,
                       const torch::Tensor& source_mask, AttentionRecord* record = nullptr);

  /// `encode`, `decode`, then the generator.
  /// \return logits [batch, target_len, vocab_size]
  torch::Tensor forward(const torch::Tensor& source, const torch::Tensor& source_mask,
                        const torch::Tensor& target_input);

  /// Starts step-by-step decoding of the sentences in `memory` (see DecoderState). Several threads
  /// may decode with one model at the same time. No gradient is recorded.
  /// \param memory [sentences, source_len, d_model]
  /// \param source_mask [sentences, source_len] bool, true = a real token
  DecoderState start(const torch::Tensor& memory, const torch::Tensor& source_mask);

  /// Advances each row by one token; `state` grows by one position.
  /// \param tokens [rows] int64, rows = sentences * beam
  /// \param alignment set to the last layer's encoder-decoder attention averaged over its heads, if
  ///     given: [rows, source_len]
  /// \return [rows, d_model], for the generator
  torch::Tensor advance(const torch::Tensor& tokens, DecoderState& state,
                        torch::Tensor* alignment = nullptr);

  /// `advance`, then the generator. \return logits [rows, vocab_size]
  torch::Tensor step(const torch::Tensor& tokens, DecoderState& state);

  /// \param weights the last layer's encoder-decoder attention [batch, num_heads, query_len,
  ///     key_len]
  /// \return their mean over the remaining heads, [batch, query_len, key_len]
  torch::Tensor mean_of_heads(const torch::Tensor& weights) const;

  /// From now on, the backward pass recomputes the layers of a stack segment by segment instead of
  /// keeping their activations.
  /// \param encoder_segment, decoder_segment layers per segment; 0 = everything is kept
  void recompute(std::int64_t encoder_segment, std::int64_t decoder_segment) {
    encoder_->recompute(encoder_segment);
    decoder_->recompute(decoder_segment);
  }

  const ModelOptions& options() const { return options_; }
  const VocabularySizes& vocabulary() const { return vocabulary_; }
  const Generator& generator() const { return generator_; }

 private:
  void make_embeddings();
  void make_embedding_parts();
  torch::ScalarType dtype() const { return source_embedding_->weight().scalar_type(); }

  ModelOptions options_;
  VocabularySizes vocabulary_;
  PositionalEncoding positions_{nullptr};
  Embedding source_embedding_{nullptr}, target_embedding_{nullptr};
  LayerNorm source_embedding_norm_{nullptr}, target_embedding_norm_{nullptr};
  torch::Tensor start_vector_;  // [d_model], learned only
  Encoder encoder_{nullptr};
  Decoder decoder_{nullptr};
  Generator generator_{nullptr};
};

TORCH_MODULE(Transformer);

}  // namespace dragoman
