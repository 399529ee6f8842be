#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/translate/scorer.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace dragoman {

/// log P(text) of a text by a language model.
struct TextLogProb {
  double log_prob = 0.0;    ///< nats, the sum over all pieces and EOS
  std::int64_t pieces = 0;  ///< of that sum, EOS included
};

/// Scores texts by a language model, in order. That of a text does not depend on the others; a
/// blank one is EOS alone. May be called by several threads.
using LanguageModelScores =
    std::function<std::vector<TextLogProb>(std::span<const std::string> texts)>;

/// A model of the opposite direction; several are an ensemble.
struct ReverseModel {
  InferenceModels models;
  Vocabulary vocabulary;  ///< of its own: texts are given to it, not pieces
};

/// Weights of the reranking terms, relative to weight 1 of the search's own score; at least 0.
struct RerankWeights {
  double reverse = 1.0;
  double language_model = 1.0;
};

/// A source text and its candidate translations.
struct RerankedText {
  std::string source;
  std::vector<std::string> candidates;
};

/// What a candidate gets by reranking.
struct RerankScore {
  std::optional<double> reverse_log_prob = {};  ///< log P(source | candidate), nats
  std::optional<double> lm_log_prob = {};       ///< log P(candidate), nats
  double added = 0.0;                           ///< to the score by the search
  bool unscored = false;  ///< too long for the reverse model, which has scored others of its text
};

/// Noisy-channel reranking (Yee, Dauphin and Auli 2019, "Simple and Effective Noisy Channel
/// Modeling for Neural Machine Translation"): a candidate y of the source x has the score
///
///     log P(y | x) / lp(|y|)  +  a log P(x | y) / lp(|x|)  +  b log P(y) / lp(|y|)
///
/// whose first term is that of the search, lp its length penalty (search/length_penalty.h), and
/// each length the number of pieces, EOS included, of the model that gives the probability.
class Reranker {
 public:
  /// \param reverse none = no such term
  /// \param language_model null = no such term
  /// \throws OptionsError if a weight is negative or no number; ContractError if there is no term
  Reranker(std::optional<ReverseModel> reverse, LanguageModelScores language_model,
           const RerankWeights& weights = {}, const PairScoringOptions& scoring = {});
  Reranker(const Reranker&) = delete;
  Reranker& operator=(const Reranker&) = delete;

  /// A score for each candidate of each text, in order; texts and their order do not change them.
  /// A candidate that is too long for the reverse model is to be ranked behind the others; if the
  /// model can score none of a text's candidates, they get no such term. A warning counts
  /// them, for five texts at most.
  /// May be called by several threads.
  /// \param search whose length penalty divides the terms
  /// \throws Cancelled soon after `stop` asks for it
  std::vector<std::vector<RerankScore>> score(std::span<const RerankedText> texts,
                                              const SearchOptions& search,
                                              const std::stop_token& stop = {}) const;

  /// "reranked by a reverse model and a language model"
  std::string description() const;

 private:
  using Scores = std::vector<std::vector<RerankScore>>;

  void add_reverse(std::span<const RerankedText> texts, const SearchOptions& search,
                   std::span<std::vector<RerankScore>> scores, const std::stop_token& stop) const;
  void add_reverse(const RerankedText& text, const SearchOptions& search,
                   std::span<const PairScore> found, std::vector<RerankScore>& scores) const;
  void add_language_model(const RerankedText& text, const SearchOptions& search,
                          std::vector<RerankScore>& scores) const;

  std::optional<ReverseModel> reverse_;
  LanguageModelScores language_model_;
  RerankWeights weights_;
  mutable std::optional<PairScorer> scorer_;  // of `reverse_`
  mutable std::atomic<int> texts_named_ = 0;  // in warnings
};

}  // namespace dragoman
