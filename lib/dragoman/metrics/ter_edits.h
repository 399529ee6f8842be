#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

/// The edits that turn a hypothesis into a reference (Snover et al., 2006, section 3): shifts of
/// blocks of words, found greedily, then insertions, deletions and substitutions.
/// \param hypothesis numbered words, equal numbers for equal words
/// \param reference likewise
std::int64_t translation_edits(std::u32string_view hypothesis, std::u32string_view reference);

}  // namespace dragoman
