#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// What a search asks of a model: scores for the next token of many hypotheses at once. Rows are
/// sentence-major (row = sentence * width + b), the same `width` for each sentence; at first it
/// is 1 and every hypothesis is empty.
class NextTokenScorer {
 public:
  virtual ~NextTokenScorer() = default;

  /// Appends a token to each row. \param tokens [rows]
  virtual void advance(std::span<const std::int64_t> tokens) = 0;

  /// Logits (or log-probabilities) of the token that comes next in some of the rows.
  /// \return [count, vocab_size], float32 or float64; the search may overwrite them
  virtual at::Tensor logits(std::int64_t first, std::int64_t count) = 0;

  /// Rows whose logits are best asked for together: on a CPU few enough to stay in its cache until
  /// they are read.
  virtual std::int64_t rows_at_once() const { return 256; }

  /// How well each row's tokens, with the attention paid for the one that comes next, cover the
  /// source (`log_coverage`); empty where the scorer was not made to keep account of it.
  virtual std::vector<double> coverage() { return {}; }

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
