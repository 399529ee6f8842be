#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

using Words = std::vector<std::string>;

/// The words of a text between its single blanks; none of an empty text.
Words split_words(std::string_view text);

/// The words with a blank between each two.
std::string join_words(const Words& words);

/// "a", "b", ... or "A", "B", ...: `count` words of one letter, from `first` on.
Words letters(char first, std::int64_t count);

}  // namespace dragoman
