#pragma once

#include "dragoman/translate/translation_task.h"

#include <span>

namespace dragoman {

/// Each part by itself: orders its hypotheses by the scores of `options.reranker`, keeps the best
/// `search.n_best` and aligns them if wanted. The best translation of a line is that of the best of
/// its sentences.
/// \param parts all parts of the call
void rerank_parts(const TranslationTask& task, std::span<TranslationPart* const> parts);

/// Minimum Bayes risk decoding: chooses for each line, whose parts are joined, one of its samples
/// by `options.consensus`, and aligns it if wanted.
void choose_samples(const TranslationTask& task, std::span<LineInWork> lines);

}  // namespace dragoman
