#pragma once

#include "dragoman/model/transformer.h"
#include "dragoman/search/next_token_scorer.h"

#include <memory>

namespace dragoman {

/// Sentences to translate, padded to a rectangle.
struct SourceBatch {
  at::Tensor ids;   ///< [sentences, source_len] int64
  at::Tensor mask;  ///< [sentences, source_len] bool, true = a real token
};

/// Asks a Transformer token by token; keys and values of the past are kept.
class CachedScorer : public NextTokenScorer {
 public:
  CachedScorer(Transformer model, const SourceBatch& source);

  void advance(std::span<const std::int64_t> tokens) override;
  at::Tensor logits(std::int64_t first, std::int64_t count) override;
  std::int64_t rows_at_once() const override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  Transformer model_;
  at::Device device_;
  DecoderState state_;
  at::Tensor hidden_;  ///< of the last token, [rows, d_model]
};

/// Asks a Transformer for the whole prefix again at each step. Slow and simple: what `CachedScorer`
/// is tested against.
class PrefixScorer : public NextTokenScorer {
 public:
  PrefixScorer(Transformer model, const SourceBatch& source);

  void advance(std::span<const std::int64_t> tokens) override;
  at::Tensor logits(std::int64_t first, std::int64_t count) override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  Transformer model_;
  at::Device device_;
  at::Tensor mask_;    ///< [sentences, source_len] bool
  at::Tensor memory_;  ///< [sentences, source_len, d_model]
  at::Tensor prefix_;  ///< [rows, tokens so far] int64
  at::Tensor hidden_;  ///< of the last token, [rows, d_model]
};

/// One of the two. \param cache `SearchOptions::cache`
std::unique_ptr<NextTokenScorer> make_scorer(Transformer model, const SourceBatch& source,
                                             bool cache);

}  // namespace dragoman
