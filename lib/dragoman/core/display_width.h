#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dragoman {

/// Columns that a terminal gives to `text`: two to each wide character (Chinese, Japanese, Korean,
/// emoji), none to combining marks and invisible characters.
std::size_t display_width(std::string_view text);

/// `text` with blanks after it up to `width` columns.
std::string pad_right(std::string_view text, std::size_t width);

/// `text` with blanks before it up to `width` columns.
std::string pad_left(std::string_view text, std::size_t width);

/// The longest beginning of `text` that fits into `width` columns, with "…" for what was cut off.
std::string cut_to_width(std::string_view text, std::size_t width);

/// The longest end of `text` that fits into `width` columns, with "…" for what was cut off.
std::string cut_front_to_width(std::string_view text, std::size_t width);

/// As many of `fields` as fit into `width` columns, from the first on, with two blanks between
/// them. A first field that is too wide is cut.
std::string fields_in_width(std::span<const std::string> fields, std::size_t width);

}  // namespace dragoman
