#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// By how many typing errors two words differ: bytes inserted, deleted or replaced, and neighbours
/// exchanged (optimal string alignment distance).
std::size_t typing_errors(std::string_view a, std::string_view b);

/// The word of `candidates` that `typed` was probably meant to be: the only one that begins with
/// `typed`; else the nearest one, if it is near enough for its length. Empty if there is none.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace dragoman
