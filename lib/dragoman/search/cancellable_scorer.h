#pragma once

#include "dragoman/core/error.h"
#include "dragoman/search/next_token_scorer.h"

#include <memory>
#include <stop_token>
#include <utility>

namespace dragoman {

/// Wraps a scorer; throws Cancelled once the caller requests a stop.
class CancellableScorer : public NextTokenScorer {
 public:
  CancellableScorer(std::unique_ptr<NextTokenScorer> scorer, std::stop_token stop)
      : scorer_(std::move(scorer)), stop_(std::move(stop)) {}

  /// \throws Cancelled if `stop` asks for it
  void advance(std::span<const std::int64_t> tokens) override {
    expect_no_stop(stop_);
    scorer_->advance(tokens);
  }
  bool takes_prefixes() const override { return scorer_->takes_prefixes(); }
  std::vector<std::vector<PrefixToken>> advance_prefix(ForcedPrefixes prefixes, std::int64_t length,
                                                       const TokenRules& rules) override {
    expect_no_stop(stop_);
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
  std::stop_token stop_;
};

}  // namespace dragoman
