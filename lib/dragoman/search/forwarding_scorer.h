#pragma once

#include "dragoman/search/next_token_scorer.h"

#include <memory>
#include <utility>

namespace dragoman {

/// A scorer that does what another one does; for classes that change a part of that.
class ForwardingScorer : public NextTokenScorer {
 public:
  explicit ForwardingScorer(std::unique_ptr<NextTokenScorer> scorer) : scorer_(std::move(scorer)) {}

  void advance(std::span<const std::int64_t> tokens) override { scorer_->advance(tokens); }
  bool takes_prefixes() const override { return scorer_->takes_prefixes(); }
  std::vector<std::vector<PrefixToken>> advance_prefix(ForcedPrefixes prefixes, std::int64_t length,
                                                       const TokenRules& rules) override {
    return scorer_->advance_prefix(prefixes, length, rules);
  }
  Logits logits(std::int64_t first, std::int64_t count) override {
    return scorer_->logits(first, count);
  }
  bool ranks_tokens() const override { return scorer_->ranks_tokens(); }
  RankedTokens rank_tokens(const RankingRequest& request,
                           std::span<NextTokenScorer* const> others) override {
    return scorer_->rank_tokens(request, others);
  }
  std::int64_t rows_at_once() const override { return scorer_->rows_at_once(); }
  std::vector<double> coverage() override { return scorer_->coverage(); }
  void select_rows(std::span<const std::int64_t> rows) override { scorer_->select_rows(rows); }
  void select_sentences(std::span<const std::int64_t> sentences) override {
    scorer_->select_sentences(sentences);
  }

 private:
  std::unique_ptr<NextTokenScorer> scorer_;
};

}  // namespace dragoman
