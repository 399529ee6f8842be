#pragma once

#include <cstddef>
#include <string>

namespace dragoman {

/// A paragraph in lines of at most `width` columns, of bytes that are one column each. A word that
/// is longer gets a line of its own.
/// \param indent spaces before each line
/// \param at column where the text begins, after something that is printed already; where that is
///     past `indent`, the text begins in the next line
/// \return lines with their newlines, the first without the indent that is printed already
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent,
                    std::size_t at = 0);

}  // namespace dragoman
