#include "dragoman/translate/reranker.h"

#include "dragoman/core/error.h"
#include "dragoman/core/thread.h"
#include "dragoman/search/length_penalty.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dragoman {

namespace {

void expect_weight(const char* name, double weight) {
  if (!std::isfinite(weight) || weight < 0.0)
    throw OptionsError(
        concat("the ", name, "'s weight ", weight, ": must be a number of at least 0"));
}

}  // namespace

Reranker::Reranker(std::optional<ReverseModel> reverse, LanguageModelScores language_model,
                   const RerankWeights& weights, const PairScoringOptions& scoring)
    : reverse_(std::move(reverse)), language_model_(std::move(language_model)), weights_(weights) {
  if (!reverse_ && !language_model_) throw ContractError("Reranker: has no model");
  expect_weight("reverse model", weights.reverse);
  expect_weight("language model", weights.language_model);
  if (reverse_) scorer_.emplace(reverse_->models, reverse_->vocabulary, scoring);
}

std::vector<std::vector<RerankScore>> Reranker::score(std::span<const RerankedText> texts,
                                                      const SearchOptions& search,
                                                      const std::stop_token& stop) const {
  Scores scores;
  for (const auto& text : texts) scores.emplace_back(text.candidates.size());
  constexpr std::size_t most = 256;  // between two looks at `stop`
  for (std::size_t at = 0; at < texts.size(); at += most) {
    expect_no_stop(stop);
    const auto count = std::min(most, texts.size() - at);
    if (reverse_)
      add_reverse(texts.subspan(at, count), search, std::span(scores).subspan(at, count));
  }
  for (std::size_t i = 0; language_model_ && i < texts.size(); ++i) {
    expect_no_stop(stop);
    add_language_model(texts[i], search, scores[i]);
  }
  return scores;
}

void Reranker::add_reverse(std::span<const RerankedText> texts, const SearchOptions& search,
                           std::span<std::vector<RerankScore>> scores) const {
  std::vector<LinePair> pairs;
  for (const auto& text : texts)
    for (const auto& candidate : text.candidates) pairs.push_back({candidate, text.source});
  const auto found = scorer_->score(pairs);
  auto next = found.begin();
  for (auto& of_text : scores) {
    for (auto& score : of_text) {
      if (!next->fault.empty())
        throw DataError(
            concat("reranking: the reverse model cannot score \"",
                   printable(pairs[static_cast<std::size_t>(next - found.begin())].target, 60),
                   "\": ", next->fault));
      score.reverse_log_prob = next->log_prob;
      score.added += weights_.reverse * next->log_prob /
                     length_penalty(search, std::ssize(next->piece_log_probs));
      ++next;
    }
  }
}

/// One text at a time, so that which texts are in memory together changes no digit.
void Reranker::add_language_model(const RerankedText& text, const SearchOptions& search,
                                  std::vector<RerankScore>& scores) const {
  const auto found = language_model_(text.candidates);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i].lm_log_prob = found[i].log_prob;
    scores[i].added +=
        weights_.language_model * found[i].log_prob / length_penalty(search, found[i].pieces);
  }
}

std::string Reranker::description() const {
  return concat("reranked by ", reverse_ ? "a reverse model" : "",
                reverse_ && language_model_ ? " and " : "",
                language_model_ ? "a language model" : "");
}

}  // namespace dragoman
