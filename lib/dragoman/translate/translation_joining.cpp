#include "dragoman/translate/translation_joining.h"

#include "dragoman/search/ngram.h"
#include "dragoman/text/sentences.h"
#include "dragoman/translate/translation_text.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

/// Keeps the first of equal texts.
void erase_repeated(std::vector<Alternative>& alternatives) {
  std::set<std::string> seen;
  std::erase_if(alternatives,
                [&seen](const Alternative& one) { return !seen.insert(one.text).second; });
}

/// Adds the log-probability of a part; the sum is unknown if that of any part is.
void add_log_prob(std::optional<double>& sum, const std::optional<double>& log_prob,
                  bool is_first) {
  if (is_first)
    sum = log_prob;
  else
    sum = sum && log_prob ? std::optional(*sum + *log_prob) : std::nullopt;
}

void append(const TranslationTask& task, const TranslationPart& part, std::size_t rank,
            bool is_first, Alternative& alternative) {
  const auto& hypothesis = part.n_best[rank];
  auto pieces = pieces_of(task, part, rank);
  const auto text = text_of(task, part, rank);
  alternative.text += between_sentences(alternative.text, text);
  alternative.text += text;
  std::ranges::move(pieces, std::back_inserter(alternative.pieces));
  alternative.log_prob += hypothesis.log_prob;
  alternative.score += hypothesis.score;
  alternative.truncated |= !hypothesis.finished;
  alternative.looping |= has_loop(hypothesis.ids);
  if (part.reranked.empty()) return;
  add_log_prob(alternative.reverse_log_prob, part.reranked[rank].reverse_log_prob, is_first);
  add_log_prob(alternative.lm_log_prob, part.reranked[rank].lm_log_prob, is_first);
}

void append_part(const TranslationTask& task, const TranslationPart& part,
                 Translation& translation) {
  if (part.n_best.empty()) return;
  const auto source_offset = std::ssize(translation.source_pieces);
  const bool is_first = source_offset == 0;
  for (std::size_t rank = 0; rank < translation.n_best.size(); ++rank) {
    auto& alternative = translation.n_best[rank];
    const auto of_part = std::min(rank, part.n_best.size() - 1);
    const auto target_offset = std::ssize(alternative.pieces);
    append(task, part, of_part, is_first, alternative);
    if (!task.options.alignment || task.options.consensus) continue;
    for (const auto& [i, j] : part.alignments[of_part])
      alternative.alignment.push_back({source_offset + i, target_offset + j});
  }
  for (const auto id : source_without_eos(task, part))
    translation.source_pieces.push_back(task.vocabulary.source.piece(id));
}

}  // namespace

void join_parts(const TranslationTask& task, LineInWork& line) {
  auto& translation = line.translation;
  std::size_t count = 1;
  for (const auto& part : line.parts) count = std::max(count, part.n_best.size());
  translation.n_best.resize(count);
  for (const auto& part : line.parts) append_part(task, part, translation);
  translation.truncated = translation.n_best.front().truncated;
  translation.looping = translation.n_best.front().looping;
  if (line.parts.size() < 2 || !task.wants_distinct_texts()) return;
  // The first has the best of each part; the others may be joined in another order.
  const bool by_score_alone = task.search.strict_beam;
  std::ranges::stable_sort(std::span(translation.n_best).subspan(1), {},
                           [&](const Alternative& one) {
                             return std::pair(one.truncated && !by_score_alone, -one.score);
                           });
  erase_repeated(translation.n_best);
}

}  // namespace dragoman
