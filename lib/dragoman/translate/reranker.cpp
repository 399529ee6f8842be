#include "dragoman/translate/reranker.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stop.h"
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
      add_reverse(texts.subspan(at, count), search, std::span(scores).subspan(at, count), stop);
  }
  for (std::size_t i = 0; language_model_ && i < texts.size(); ++i) {
    expect_no_stop(stop);
    add_language_model(texts[i], search, scores[i]);
  }
  return scores;
}

void Reranker::add_reverse(std::span<const RerankedText> texts, const SearchOptions& search,
                           std::span<std::vector<RerankScore>> scores,
                           const std::stop_token& stop) const {
  std::vector<LinePair> pairs;
  for (const auto& text : texts)
    for (const auto& candidate : text.candidates) pairs.push_back({candidate, text.source});
  const auto found = scorer_->score(pairs, stop);
  auto next = std::span(found);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    add_reverse(texts[i], search, next.first(scores[i].size()), scores[i]);
    next = next.subspan(scores[i].size());
  }
}

void Reranker::add_reverse(const RerankedText& text, const SearchOptions& search,
                           std::span<const PairScore> found,
                           std::vector<RerankScore>& scores) const {
  const auto is_scored = [](const PairScore& score) { return score.fault.empty(); };
  const bool any = std::ranges::any_of(found, is_scored);
  std::int64_t unscored = 0;
  std::size_t example = 0;  // of those
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (is_scored(found[i])) {
      scores[i].reverse_log_prob = found[i].log_prob;
      scores[i].added += weights_.reverse * found[i].log_prob /
                         length_penalty(search, std::ssize(found[i].piece_log_probs));
    } else {
      scores[i].unscored = any && weights_.reverse > 0.0;
      if (unscored++ == 0) example = i;
    }
  }
  if (unscored == 0 || weights_.reverse == 0.0) return;
  constexpr int most_named = 5;
  const auto named = ++texts_named_;
  if (named > most_named) return;
  log_warning(concat(
      "reranking: the reverse model cannot score ", unscored, " of the ",
      counted(std::ssize(found), "candidate"), " for \"", printable(text.source, 60),
      any ? "\", which rank behind the others: " : "\", so it has no say: ", found[example].fault,
      named == most_named ? "; further texts are not named" : ""));
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
