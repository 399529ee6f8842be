#pragma once

#include "dragoman/translate/translation_task.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A part's source ids without EOS, with which a source need not end.
std::span<const std::int32_t> source_without_eos(const TranslationTask& task,
                                                 const TranslationPart& part);

/// What the model has read of a part's text, without the tag of its language: of a sentence that
/// was cut, its first pieces.
std::string text_read(const TranslationTask& task, const TranslationPart& part);

/// Of the ids alone: unknown pieces are written as the vocabulary does.
std::string text_of(const TranslationTask& task, const Hypothesis& hypothesis);

/// With unknown pieces as in `pieces_of`.
std::string text_of(const TranslationTask& task, const TranslationPart& part, std::size_t rank);

/// The pieces of a part's hypothesis without EOS. Unknown ones of the prefix are written as given,
/// others as what they attend to if `search.unknown` is `copy`.
std::vector<std::string> pieces_of(const TranslationTask& task, const TranslationPart& part,
                                   std::size_t rank);

}  // namespace dragoman
