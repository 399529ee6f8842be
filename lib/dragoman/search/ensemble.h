#pragma once

#include "dragoman/search/next_token_scorer.h"

#include <memory>
#include <span>
#include <vector>

namespace dragoman {

/// The logarithm of the mean of several models' probabilities, written into the first one's logits,
/// whose `block_maxima` and `chunk_sums` are then out of date.
/// \param logits one for each model, all of the same type and shape; at least one
/// \throws ContractError if types or shapes differ
void replace_by_mean_log_probs(std::span<const Logits> logits);

/// Several models with the same vocabulary used as one: the mean of their probabilities. Its
/// coverage is the mean of theirs.
class EnsembleScorer : public NextTokenScorer {
 public:
  /// \param members fresh, for the same sentences; at least one
  explicit EnsembleScorer(std::vector<std::unique_ptr<NextTokenScorer>> members);

  void advance(std::span<const std::int64_t> tokens) override;
  bool takes_prefixes() const override;
  std::vector<std::vector<PrefixToken>> advance_prefix(ForcedPrefixes prefixes, std::int64_t length,
                                                       const TokenRules& rules) override;
  Logits logits(std::int64_t first, std::int64_t count) override;
  bool ranks_tokens() const override;
  RankedTokens rank_tokens(const RankingRequest& request,
                           std::span<NextTokenScorer* const> others) override;
  std::int64_t rows_at_once() const override;
  std::vector<double> coverage() override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  std::vector<std::unique_ptr<NextTokenScorer>> members_;
};

}  // namespace dragoman
