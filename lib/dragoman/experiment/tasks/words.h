#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

using Words = std::vector<std::string>;

/// Splits a text at single spaces; an empty text has no words.
Words split_words(std::string_view text);

/// The words joined by single spaces.
std::string join_words(const Words& words);

/// "a", "b", ... or "A", "B", ...: `count` one-letter words, starting from `first`.
Words letters(char first, std::int64_t count);

}  // namespace dragoman
