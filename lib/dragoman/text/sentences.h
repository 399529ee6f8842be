#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Splits a line after each sentence end, for lines too long to be translated at once.
///
/// A sentence ends after a run of . ! ?, the ellipsis (U+2026), or the like of Armenian, Arabic,
/// Devanagari and Ethiopic, with the closing quotes and brackets that follow it, where a blank (of
/// any kind, or a line separator) comes next and the text continues with something other
/// than a lower-case Latin, Greek or Cyrillic letter. A single full stop ends none after one letter
/// ("J. Smith") or a number of one or two digits ("3. May"). After the full-width marks of Chinese
/// and Japanese no blank is needed. Blanks between sentences are dropped, no other character is; no
/// part is empty.
std::vector<std::string> split_sentences(std::string_view line);

/// What belongs between two sentences of one line: a blank, and nothing between characters of
/// Chinese or Japanese, or if one is empty.
std::string_view between_sentences(std::string_view before, std::string_view after);

}  // namespace dragoman
