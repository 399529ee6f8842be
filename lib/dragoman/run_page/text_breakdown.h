#pragma once

#include "dragoman/run_page/run_on_text.h"

#include <span>
#include <string>

namespace dragoman {

/// The runs' scores by the length of the source, as HTML: a figure and a table.
std::string length_breakdown(const ReferencedText& text, std::span<const RunOnText> runs);

/// Recall and precision of words by how often they are in each run's training text,
/// RUN_DIR/data/train.tokens, as HTML; of a run that has none it says so. Of a training text of
/// more than 500,000 lines an even sample is read, and the page says so.
/// \throws as `TokenStore` and `count_target_words`
std::string frequency_breakdown(const ReferencedText& text, std::span<const RunOnText> runs);

}  // namespace dragoman
