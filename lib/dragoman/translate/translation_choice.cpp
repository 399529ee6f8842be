#include "dragoman/translate/translation_choice.h"

#include "dragoman/core/stop.h"
#include "dragoman/translate/translation_alignment.h"
#include "dragoman/translate/translation_text.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

/// Orders hypotheses by their new scores, equal ones as they were, and keeps the best.
void rerank(const std::vector<RerankScore>& scores, const SearchOptions& search,
            TranslationPart& part) {
  auto& found = part.n_best;
  for (std::size_t rank = 0; rank < found.size(); ++rank) found[rank].score += scores[rank].added;
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (!search.strict_beam && found[a].finished != found[b].finished) return found[a].finished;
    if (scores[a].unscored != scores[b].unscored) return scores[b].unscored;
    return found[a].score > found[b].score;
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(search.n_best)));
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

/// A part may have fewer hypotheses than its line: its last one then counts.
std::size_t chosen_rank(const LineInWork& line, const TranslationPart& part) {
  return std::min(line.chosen, part.n_best.size() - 1);
}

void choose_sample(const Utility& utility, LineInWork& line) {
  auto& translation = line.translation;
  std::vector<std::string> texts;
  for (const auto& sample : translation.n_best) texts.push_back(sample.text);
  const auto best = consensus(texts, utility);
  line.chosen = best.sample;
  translation.utility = best.utility;
  translation.n_best = {std::move(translation.n_best[best.sample])};
  translation.truncated = translation.n_best.front().truncated;
  translation.looping = translation.n_best.front().looping;
}

/// Joins the alignments of the parts of the chosen sample.
void join_chosen_alignments(const TranslationTask& task, LineInWork& line) {
  std::int64_t source_offset = 0, target_offset = 0;
  for (const auto& part : line.parts) {
    if (part.n_best.empty()) continue;
    const auto rank = chosen_rank(line, part);
    for (const auto& [i, j] : part.alignments[rank])
      line.translation.n_best.front().alignment.push_back({source_offset + i, target_offset + j});
    source_offset += std::ssize(source_without_eos(task, part));
    target_offset += std::ssize(pieces_of(task, part, rank));
  }
}

}  // namespace

void rerank_parts(const TranslationTask& task, std::span<TranslationPart* const> parts) {
  std::vector<RerankedText> texts;
  for (const auto* part : parts) {
    auto& text = texts.emplace_back();
    text.source = text_read(task, *part);
    for (std::size_t rank = 0; rank < part->n_best.size(); ++rank)
      text.candidates.push_back(text_of(task, *part, rank));
  }
  const auto scores = task.options.reranker->score(texts, task.search, task.context.stop);
  for (std::size_t i = 0; i < parts.size(); ++i) rerank(scores[i], task.search, *parts[i]);
  if (!task.options.alignment) return;
  std::vector<FoundHypothesis> kept;
  for (auto* part : parts)
    for (std::size_t rank = 0; rank < part->n_best.size(); ++rank) kept.push_back({part, rank});
  align_chosen(task, kept);
}

void choose_samples(const TranslationTask& task, std::span<LineInWork> lines) {
  task.workers.run(
      std::ssize(lines),
      [&](const EnsembleWorker&, std::int64_t i) {
        expect_no_stop(task.context.stop);
        choose_sample(*task.options.consensus, lines[static_cast<std::size_t>(i)]);
      },
      task.context.stop);
  if (!task.options.alignment) return;
  std::vector<FoundHypothesis> chosen;
  for (auto& line : lines)
    for (auto& part : line.parts)
      if (!part.n_best.empty()) chosen.push_back({&part, chosen_rank(line, part)});
  align_chosen(task, chosen);
  for (auto& line : lines) join_chosen_alignments(task, line);
}

}  // namespace dragoman
