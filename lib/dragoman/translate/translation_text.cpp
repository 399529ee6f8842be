#include "dragoman/translate/translation_text.h"

#include <algorithm>
#include <string_view>

namespace dragoman {

namespace {

/// Without the EOS of a finished one.
std::span<const std::int32_t> written_ids(const Hypothesis& hypothesis) {
  return std::span(hypothesis.ids).first(hypothesis.ids.size() - (hypothesis.finished ? 1 : 0));
}

/// A source piece in the place of an unknown one: a word that the piece before it has begun is not
/// begun again.
std::string copied_piece(const std::string& piece, const std::string& before) {
  constexpr std::string_view word_begin = "\u2581";
  const bool begins_again = before == word_begin && piece.starts_with(word_begin);
  return begins_again && piece.size() > word_begin.size() ? piece.substr(word_begin.size()) : piece;
}

}  // namespace

std::span<const std::int32_t> source_without_eos(const TranslationTask& task,
                                                 const TranslationPart& part) {
  const auto eos = task.vocabulary.source.special().eos;
  const bool has_eos = !part.source.empty() && part.source.back() == eos;
  return std::span(part.source).first(part.source.size() - (has_eos ? 1 : 0));
}

std::string text_read(const TranslationTask& task, const TranslationPart& part) {
  const auto& tokenizer = task.vocabulary.source;
  const auto text =
      part.cut ? tokenizer.decode(std::span(part.source).subspan(tokenizer.prefix().size()))
               : part.text;
  const auto tag = tokenizer.own_tag(text);
  const auto first = tag.empty() ? 0 : text.find_first_not_of(' ', tag.size());
  return text.substr(std::min(first, text.size()));
}

std::string text_of(const TranslationTask& task, const Hypothesis& hypothesis) {
  return task.vocabulary.target.decode(written_ids(hypothesis));
}

std::string text_of(const TranslationTask& task, const TranslationPart& part, std::size_t rank) {
  const auto& hypothesis = part.n_best[rank];
  return task.has_unknown(hypothesis) ? task.vocabulary.target.decode(pieces_of(task, part, rank))
                                      : text_of(task, hypothesis);
}

std::vector<std::string> pieces_of(const TranslationTask& task, const TranslationPart& part,
                                   std::size_t rank) {
  const auto& tokenizer = task.vocabulary.target;
  const auto& hypothesis = part.n_best[rank];
  std::vector<std::string> pieces;
  for (const auto id : written_ids(hypothesis)) pieces.push_back(tokenizer.piece(id));
  if (!task.has_unknown(hypothesis)) return pieces;
  const auto prefix = tokenizer.pieces(part.prefix_text);
  const auto source = task.vocabulary.source.pieces(part.text);
  const auto& links = part.alignments[rank];
  for (std::size_t t = 0; t < pieces.size(); ++t) {
    if (hypothesis.ids[t] != tokenizer.special().unk) continue;
    if (t < prefix.size())
      pieces[t] = prefix[t];
    else if (task.search.unknown == UnknownRule::copy && t < links.size())
      pieces[t] = copied_piece(source[static_cast<std::size_t>(links[t].source)],
                               t == 0 ? std::string() : pieces[t - 1]);
  }
  return pieces;
}

}  // namespace dragoman
