#pragma once

#include "dragoman/translate/translation_task.h"

#include <cstddef>
#include <span>

namespace dragoman {

/// One of the hypotheses of a part.
struct FoundHypothesis {
  TranslationPart* part;
  std::size_t rank;
};

/// Right after the search of a batch: aligns all hypotheses if `options.alignment` is set and
/// nothing chooses among them later, else those whose texts depend on their alignment. One rank at
/// a time, to take no more memory than the search.
void align_found(const TranslationTask& task, const EnsembleWorker& worker,
                 std::span<TranslationPart* const> batch);

/// Aligns on all workers what has been chosen later; skips what `align_found` has aligned.
void align_chosen(const TranslationTask& task, std::span<const FoundHypothesis> chosen);

}  // namespace dragoman
