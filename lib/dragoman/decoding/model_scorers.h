#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/data/batch.h"
#include "dragoman/model/transformer.h"
#include "dragoman/search/next_token_scorer.h"

#include <memory>
#include <span>
#include <vector>

namespace dragoman {

/// A scorer by the modules of a Transformer. Where these are not on the CPU, it ranks tokens
/// itself.
class ModuleScorer : public NextTokenScorer {
 public:
  /// Logits of the next token of all rows on the device of the model, [rows, vocab_size]; computed
  /// anew by each call.
  virtual at::Tensor next_logits() = 0;

  /// \param others ModuleScorers, too
  RankedTokens rank_tokens(const RankingRequest& request,
                           std::span<NextTokenScorer* const> others) override;
};

/// What the scorers of one Transformer have in common.
class TransformerScorer : public ModuleScorer {
 public:
  explicit TransformerScorer(Transformer model);

  at::Tensor next_logits() override;
  Logits logits(std::int64_t first, std::int64_t count) override;
  bool ranks_tokens() const override { return !device_.is_cpu(); }

 protected:
  Transformer model_;
  at::Device device_;
  at::Tensor hidden_;  ///< of the last token, [rows, d_model]

 private:
  at::Tensor logits_;  ///< that were asked for last
};

/// Runs a Transformer one token at a time; keys and values of previous positions are cached.
///
/// If the search has a coverage penalty, it tracks `NextTokenScorer::coverage`, from the last
/// layer's attention averaged over its heads.
class CachedScorer : public TransformerScorer {
 public:
  /// \param source sentences to translate, as `Tokenizer::end_source` ends them
  CachedScorer(Transformer model, const PaddedIds& source, const SearchOptions& search = {});

  void advance(std::span<const std::int64_t> tokens) override;
  std::int64_t rows_at_once() const override;
  std::vector<double> coverage() override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  DecoderState state_;
  at::Tensor source_mask_;  ///< [sentences, source_len] bool; undefined = coverage is not tracked
  at::Tensor attention_;    ///< accumulated so far, [rows, source_len]
};

/// Runs a Transformer over the whole prefix at every step (`SearchOptions::cache` off). Slow and
/// simple: the reference for `CachedScorer`.
class UncachedScorer : public TransformerScorer {
 public:
  UncachedScorer(Transformer model, const PaddedIds& source, const SearchOptions& search = {});

  void advance(std::span<const std::int64_t> tokens) override;
  std::vector<double> coverage() override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  at::Tensor mask_;    ///< [sentences, source_len] bool
  at::Tensor memory_;  ///< [sentences, source_len, d_model]
  at::Tensor prefix_;  ///< [rows, tokens so far] int64
  bool keep_coverage_;
  at::Tensor attention_;  ///< accumulated over the whole prefix, [rows, source_len]
};

/// Creates one of the two. \param search decides by `cache`
std::unique_ptr<ModuleScorer> make_scorer(Transformer model, const PaddedIds& source,
                                          const SearchOptions& search = {});

/// `logits` in a form that a search can read: float32 or float64 on the CPU.
/// \param logits [rows, vocab_size] of any type and device; replaced by the converted ones, which
///     the result views
Logits readable_logits(at::Tensor& logits);

/// `log_coverage` of each row.
/// \param attention summed over target tokens, [rows, source_len]; rows are sentence-major
/// \param source_mask [sentences, source_len] bool, true = a real token
std::vector<double> log_coverage_of_rows(const at::Tensor& attention,
                                         const at::Tensor& source_mask);

}  // namespace dragoman
