#pragma once

#include "dragoman/search/forced_prefix.h"
#include "dragoman/search/logits.h"
#include "dragoman/search/token_ranking.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// What a search needs from a model: scores for the next token of many hypotheses at once. Rows are
/// sentence-major (row = sentence * width + b) with the same `width` for every sentence; initially
/// the width is 1 and every hypothesis is empty.
class NextTokenScorer {
 public:
  virtual ~NextTokenScorer() = default;

  /// Appends a token to each row. \param tokens [rows]
  virtual void advance(std::span<const std::int64_t> tokens) = 0;

  /// Whether `advance_prefix` may be called.
  virtual bool takes_prefixes() const { return false; }

  /// Appends BOS and the first `length` - 1 tokens of each sentence's prefix at once, which is
  /// faster than one by one. Before any other function, if at all.
  /// \param prefixes one for each sentence, of `length` tokens at least
  /// \param length at least 1
  /// \return of each prefix its first `length` tokens
  /// \throws DataError if the model's output is not finite
  virtual std::vector<std::vector<PrefixToken>> advance_prefix(ForcedPrefixes /*prefixes*/,
                                                               std::int64_t /*length*/,
                                                               const TokenRules& /*rules*/) {
    return {};
  }

  /// Logits (or log-probabilities) of the next token for a range of rows, valid until the next call
  /// of any function.
  virtual Logits logits(std::int64_t first, std::int64_t count) = 0;

  /// Whether `rank_tokens` is to be called instead of `logits` where it can be: the logits are in
  /// the memory of a GPU, which finds the best of them faster than it copies them all.
  virtual bool ranks_tokens() const { return false; }

  /// The most probable tokens of each row, a drawn one, or a given one.
  /// \param others scorers of the same rows that rank tokens as well, as an ensemble: probabilities
  ///     are the means of theirs and this scorer's
  /// \throws DataError if the output of a model is not finite
  virtual RankedTokens rank_tokens(const RankingRequest& /*request*/,
                                   std::span<NextTokenScorer* const> /*others*/) {
    return RankedTokens({});
  }

  /// Preferred number of rows per call of `logits`: on a CPU, few enough for the logits to stay in
  /// cache until they are read.
  virtual std::int64_t rows_at_once() const { return 256; }

  /// How well each row's tokens, including the attention for the next token, cover the source
  /// (`log_coverage`); empty if the scorer was not created to track it.
  virtual std::vector<double> coverage() { return {}; }

  /// New row i continues old row rows[i].
  virtual void select_rows(std::span<const std::int64_t> rows) = 0;

  /// Keeps only these sentences, in this order; a call of `select_rows` that selects their rows
  /// must follow.
  virtual void select_sentences(std::span<const std::int64_t> sentences) = 0;
};

}  // namespace dragoman
