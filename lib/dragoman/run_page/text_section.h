#pragma once

#include "dragoman/run_page/run_on_text.h"

#include <cstddef>
#include <span>
#include <string>

namespace dragoman {

/// The part of a page on one or two runs (`run_page/run_page`) about a text that they translate:
/// scores (`text_scores`), breakdowns (`text_breakdown`) and examples (`text_examples`). It needs
/// no network and no script; no text in it can become markup; the same translations give the same
/// bytes.
/// \param runs one or two
/// \param examples lines to show at most
std::string text_section(const ReferencedText& text, std::span<const RunOnText> runs,
                         std::size_t examples);

/// What it adds to the page's style sheet.
std::string text_section_style();

}  // namespace dragoman
