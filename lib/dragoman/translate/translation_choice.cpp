#include "dragoman/core/error.h"
#include "dragoman/search/ngram.h"
#include "dragoman/translate/translation_job.h"

#include <algorithm>
#include <numeric>
#include <utility>

// Which of the hypotheses that were found is a translation.
namespace dragoman {

/// Minimum Bayes risk decoding of each line.
void TranslationJob::choose_samples() {
  chosen_.resize(translations_.size());
  workers_.run(std::ssize(translations_), [this](const EnsembleWorker&, std::int64_t line) {
    expect_no_stop(context_.stop);
    auto& translation = translations_[static_cast<std::size_t>(line)];
    std::vector<std::string> texts;
    for (const auto& sample : translation.n_best) texts.push_back(sample.text);
    const auto best = consensus(texts, *options_.consensus);
    translation.utility = best.utility;
    translation.n_best = {std::move(translation.n_best[best.sample])};
    chosen_[static_cast<std::size_t>(line)] = best.sample;
    tell_of_chosen(static_cast<std::size_t>(line), best.sample);
  });
}

/// What a translation says of its best hypothesis is of the chosen sample.
void TranslationJob::tell_of_chosen(std::size_t line, std::size_t sample) {
  auto& translation = translations_[line];
  translation.truncated = translation.looping = false;
  for (const auto& part : line_parts_[line]) {
    if (part.n_best.empty()) continue;
    const auto& chosen = part.n_best[std::min(sample, part.n_best.size() - 1)];
    translation.truncated |= !chosen.finished;
    translation.looping |= has_loop(chosen.ids);
  }
}

/// Each part by itself: the best translation of a line is that of the best of its sentences.
void TranslationJob::rerank_all() {
  std::vector<RerankedText> texts;
  for (std::size_t line = 0; line < line_parts_.size(); ++line) {
    for (const auto& part : line_parts_[line]) {
      auto& text = texts.emplace_back();
      text.source = text_read(part);
      for (std::size_t rank = 0; rank < part.n_best.size(); ++rank)
        text.candidates.push_back(text_of(part, rank));
    }
  }
  const auto scores = options_.reranker->score(texts, search_, context_.stop);
  for (std::size_t i = 0; i < parts_.size(); ++i) rerank(*parts_[i], scores[i]);
}

/// What the model has read of a part's text, without the tag of its language: of a sentence that
/// was cut, its first pieces.
std::string TranslationJob::text_read(const Part& part) const {
  const auto& tokenizer = vocabulary_.source;
  const auto text =
      part.cut ? tokenizer.decode(std::span(part.source).subspan(tokenizer.prefix().size()))
               : part.text;
  const auto tag = tokenizer.own_tag(text);
  const auto first = tag.empty() ? 0 : text.find_first_not_of(' ', tag.size());
  return text.substr(std::min(first, text.size()));
}

/// Orders hypotheses by their new scores, equal ones as they were, and keeps the best.
void TranslationJob::rerank(Part& part, const std::vector<RerankScore>& scores) const {
  auto& found = part.n_best;
  for (std::size_t rank = 0; rank < found.size(); ++rank) found[rank].score += scores[rank].added;
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (found[a].finished != found[b].finished) return found[a].finished;
    if (scores[a].unscored != scores[b].unscored) return scores[b].unscored;
    return found[a].score > found[b].score;
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(n_best_)));
  std::vector<Hypothesis> best;
  std::vector<std::vector<AlignmentLink>> alignments;
  for (const auto rank : order) {
    best.push_back(std::move(found[rank]));
    alignments.push_back(std::move(part.alignments[rank]));
    part.reranked.push_back(scores[rank]);
  }
  found = std::move(best);
  part.alignments = std::move(alignments);
}

}  // namespace dragoman
