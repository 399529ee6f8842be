#include "dragoman/search/ngram.h"
#include "dragoman/text/sentences.h"
#include "dragoman/translate/translation_job.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

// How the parts of lines that were searched are joined.
namespace dragoman {

namespace {

/// Keeps the first of equal texts.
void erase_repeated(std::vector<Alternative>& alternatives) {
  std::set<std::string> seen;
  std::erase_if(alternatives,
                [&seen](const Alternative& one) { return !seen.insert(one.text).second; });
}

/// Without the EOS of a finished one.
std::span<const std::int32_t> written_ids(const Hypothesis& hypothesis) {
  return std::span(hypothesis.ids).first(hypothesis.ids.size() - (hypothesis.finished ? 1 : 0));
}

}  // namespace

/// One line from its parts.
void TranslationJob::assemble(std::size_t line) {
  const auto& parts = line_parts_[line];
  auto& translation = translations_[line];
  std::size_t count = 1;
  for (const auto& part : parts) count = std::max(count, part.n_best.size());
  translation.n_best.resize(count);
  for (const auto& part : parts) append_part(translation, part);
  if (parts.size() < 2 || !has_distinct_texts()) return;
  // The first has the best of each part; the others may be joined in another order.
  std::ranges::stable_sort(
      std::span(translation.n_best).subspan(1), {},
      [](const Alternative& one) { return std::pair(one.truncated, -one.score); });
  erase_repeated(translation.n_best);
}

void TranslationJob::append_part(Translation& translation, const Part& part) const {
  if (part.n_best.empty()) return;
  const auto source_offset = std::ssize(translation.source_pieces);
  const bool is_first = source_offset == 0;
  for (std::size_t rank = 0; rank < translation.n_best.size(); ++rank) {
    auto& alternative = translation.n_best[rank];
    const auto of_part = std::min(rank, part.n_best.size() - 1);
    const auto target_offset = std::ssize(alternative.pieces);
    append(alternative, part, of_part, is_first);
    if (!options_.alignment || options_.consensus) continue;
    for (const auto& [i, j] : part.alignments[of_part])
      alternative.alignment.push_back({source_offset + i, target_offset + j});
  }
  for (const auto id : source_without_eos(part))
    translation.source_pieces.push_back(vocabulary_.source.piece(id));
  translation.truncated |= !part.n_best.front().finished;
  translation.looping |= has_loop(part.n_best.front().ids);
}

/// A source need not end with EOS.
std::span<const std::int32_t> TranslationJob::source_without_eos(const Part& part) const {
  const bool has_eos = !part.source.empty() && part.source.back() == source_special_.eos;
  return std::span(part.source).first(part.source.size() - (has_eos ? 1 : 0));
}

std::string TranslationJob::text_of(const Hypothesis& hypothesis) const {
  return vocabulary_.target.decode(written_ids(hypothesis));
}

std::string TranslationJob::text_of(const Part& part, std::size_t rank) const {
  const auto& hypothesis = part.n_best[rank];
  return has_unknown(hypothesis) ? vocabulary_.target.decode(pieces_of(part, rank))
                                 : text_of(hypothesis);
}

/// Unknown ones of the prefix are written as given, others as what they attend to if that is
/// wanted.
std::vector<std::string> TranslationJob::pieces_of(const Part& part, std::size_t rank) const {
  const auto& hypothesis = part.n_best[rank];
  std::vector<std::string> pieces;
  for (const auto id : written_ids(hypothesis)) pieces.push_back(vocabulary_.target.piece(id));
  if (!has_unknown(hypothesis)) return pieces;
  const auto prefix = vocabulary_.target.pieces(part.prefix_text);
  const auto source = vocabulary_.source.pieces(part.text);
  const auto& links = part.alignments[rank];
  for (std::size_t t = 0; t < pieces.size(); ++t) {
    if (hypothesis.ids[t] != target_special_.unk) continue;
    if (t < prefix.size())
      pieces[t] = prefix[t];
    else if (search_.unknown == UnknownRule::copy && t < links.size())
      pieces[t] = source[static_cast<std::size_t>(links[t].source)];
  }
  return pieces;
}

void TranslationJob::append(Alternative& alternative, const Part& part, std::size_t rank,
                            bool is_first) const {
  const auto& hypothesis = part.n_best[rank];
  auto pieces = pieces_of(part, rank);
  const auto text = text_of(part, rank);
  alternative.text += between_sentences(alternative.text, text);
  alternative.text += text;
  std::ranges::move(pieces, std::back_inserter(alternative.pieces));
  alternative.log_prob += hypothesis.log_prob;
  alternative.score += hypothesis.score;
  alternative.truncated |= !hypothesis.finished;
  if (part.reranked.empty()) return;
  // Undefined where that of a part is.
  const auto add = [&](std::optional<double>& sum, const std::optional<double>& log_prob) {
    if (is_first)
      sum = log_prob;
    else
      sum = sum && log_prob ? std::optional(*sum + *log_prob) : std::nullopt;
  };
  add(alternative.reverse_log_prob, part.reranked[rank].reverse_log_prob);
  add(alternative.lm_log_prob, part.reranked[rank].lm_log_prob);
}

}  // namespace dragoman
