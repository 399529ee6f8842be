#include "dragoman/translate/translation_task.h"

#include <algorithm>

namespace dragoman {

std::int64_t TranslationTask::kept_candidates() const {
  return options.reranker ? search.beam_size : search.n_best;
}

bool TranslationTask::wants_distinct_texts() const {
  return kept_candidates() > 1 && !search.sample;
}

bool TranslationTask::has_unknown(const Hypothesis& hypothesis) const {
  const auto unk = vocabulary.target.special().unk;
  return std::ranges::find(hypothesis.ids, unk) != hypothesis.ids.end();
}

bool TranslationTask::copies_unknown(const Hypothesis& hypothesis) const {
  return search.unknown == UnknownRule::copy && has_unknown(hypothesis);
}

std::int64_t TranslationTask::max_target_length(const TranslationPart& part) const {
  auto length = search.max_length > 0 ? search.max_length
                                      : std::ssize(part.source) + search.max_length_offset;
  // A target language that the prefix names leaves room for a token at least.
  length = std::max(length, std::ssize(vocabulary.target.prefix()) + 1);
  for (const auto& model : models) length = std::min(length, model->options().longest_sequence());
  return length;
}

}  // namespace dragoman
