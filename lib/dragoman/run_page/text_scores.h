#pragma once

#include "dragoman/run_page/run_on_text.h"

#include <span>
#include <string>

namespace dragoman {

/// BLEU, chrF2, TER and the likelihood of the references as an HTML table with 95 % intervals, in
/// the digits of `dragoman evaluate`, and the signatures. For two runs also their differences with
/// p-values by paired bootstrap resampling, the second against the first, and a sentence on which
/// differences are significant.
/// \param runs one or two
std::string text_scores(const ReferencedText& text, std::span<const RunOnText> runs);

}  // namespace dragoman
