#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Properties of code points, and the equivalents of Python's `str` methods of the same names.
namespace dragoman::unicode {

bool is_white_space(char32_t c);
bool is_punctuation(char32_t c);  ///< general category P*
bool is_symbol(char32_t c);       ///< general category S*
bool is_number(char32_t c);       ///< general category N*

/// Full lower-casing: one-to-one, except for U+0130 (becomes two) and the final sigma.
std::u32string to_lower(std::u32string_view text);

/// `text` without trailing whitespace.
std::u32string_view strip_right(std::u32string_view text);

/// The same for UTF-8.
std::string strip_right_utf8(std::string_view text);

/// `text` without leading and trailing whitespace.
std::u32string_view strip(std::u32string_view text);

/// The parts of `text` between runs of whitespace; none is empty. They are views into `text`.
std::vector<std::u32string_view> split(std::u32string_view text);

}  // namespace dragoman::unicode
