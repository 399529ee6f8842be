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

/// How a scorer asks its model.
struct ScorerOptions {
  bool cache = true;      ///< keep keys and values of the past
  bool coverage = false;  ///< keep account of `NextTokenScorer::coverage`: by the attention of the
                          ///< last layer, the mean of its heads
};

/// Asks a Transformer token by token; keys and values of the past are kept.
class CachedScorer : public NextTokenScorer {
 public:
  CachedScorer(Transformer model, const SourceBatch& source, bool keep_coverage = false);

  void advance(std::span<const std::int64_t> tokens) override;
  at::Tensor logits(std::int64_t first, std::int64_t count) override;
  std::int64_t rows_at_once() const override;
  std::vector<double> coverage() override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  Transformer model_;
  at::Device device_;
  DecoderState state_;
  at::Tensor hidden_;       ///< of the last token, [rows, d_model]
  at::Tensor source_mask_;  ///< [sentences, source_len] bool; undefined = no coverage is kept
  at::Tensor attention_;    ///< paid so far, [rows, source_len]
};

/// Asks a Transformer for the whole prefix again at each step. Slow and simple: what `CachedScorer`
/// is tested against.
class PrefixScorer : public NextTokenScorer {
 public:
  PrefixScorer(Transformer model, const SourceBatch& source, bool keep_coverage = false);

  void advance(std::span<const std::int64_t> tokens) override;
  at::Tensor logits(std::int64_t first, std::int64_t count) override;
  std::vector<double> coverage() override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  Transformer model_;
  at::Device device_;
  at::Tensor mask_;    ///< [sentences, source_len] bool
  at::Tensor memory_;  ///< [sentences, source_len, d_model]
  at::Tensor prefix_;  ///< [rows, tokens so far] int64
  at::Tensor hidden_;  ///< of the last token, [rows, d_model]
  bool keep_coverage_;
  at::Tensor attention_;  ///< paid by the whole prefix, [rows, source_len]
};

/// One of the two.
std::unique_ptr<NextTokenScorer> make_scorer(Transformer model, const SourceBatch& source,
                                             const ScorerOptions& options = {});

}  // namespace dragoman
