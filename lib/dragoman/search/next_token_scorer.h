#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace dragoman {

/// What a search asks of a model: scores for the next token of many hypotheses at once. Rows are
/// sentence-major (row = sentence * width + b), the same `width` for each sentence; at first it
/// is 1 and every hypothesis is empty.
class NextTokenScorer {
 public:
  virtual ~NextTokenScorer() = default;

  /// Appends a token to each row.
  /// \param tokens [rows]
  /// \return logits (or log-probabilities) of the next token [rows, vocab_size], float32 or
  ///     float64; the search may overwrite them
  virtual at::Tensor logits(std::span<const std::int64_t> tokens) = 0;

  /// New row i continues old row rows[i].
  virtual void select_rows(std::span<const std::int64_t> rows) = 0;

  /// Only these sentences go on, in this order; their rows are selected by a call of `select_rows`
  /// that follows.
  virtual void select_sentences(std::span<const std::int64_t> sentences) = 0;
};

/// Ids a search has to know apart from others.
struct SearchTokens {
  std::int64_t bos = 2;
  std::int64_t eos = 3;
  std::int64_t pad = 0;  ///< never generated, nor is `bos`
};

}  // namespace dragoman
