#pragma once

#include "dragoman/translate/translation_task.h"

#include <span>

namespace dragoman {

/// Searches parts in batches of similar length, on all workers, and aligns what is found if that is
/// the result or decides its text. Fills in `n_best` and `alignments` of each part; the context's
/// `progress` is told.
/// \throws Cancelled
void search_parts(const TranslationTask& task, std::span<TranslationPart* const> parts);

}  // namespace dragoman
