#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// UTF-8 as the Unicode standard defines it: no overlong forms, no surrogates, nothing past
/// U+10FFFF.
namespace dragoman::utf8 {

/// What `decode` gives for a byte that begins no character.
inline constexpr char32_t invalid = 0xFFFFFFFF;

struct Decoded {
  char32_t code_point;  ///< or `invalid`
  std::size_t length;   ///< bytes taken, 1 where invalid
};

/// The character at byte `at` of `text`; `at` must be inside.
Decoded decode(std::string_view text, std::size_t at);

/// Whether a byte continues a character, rather than beginning one.
constexpr bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// The longest beginning of `text` with at most so many bytes that splits no character.
std::string_view front(std::string_view text, std::size_t bytes);

/// Byte offset of the first byte that is not UTF-8, if there is one.
std::optional<std::size_t> find_invalid(std::string_view text);

/// `text` with each bad byte replaced by U+FFFD.
std::string replace_invalid(std::string_view text);

/// The number of characters of valid `text`.
std::int64_t count(std::string_view text);

/// Adds one character to `text`.
void append(std::string& text, char32_t code_point);

/// All characters; bad bytes become U+FFFD.
std::u32string decode_all(std::string_view text);

/// The inverse of `decode_all`.
std::string encode_all(std::u32string_view text);

/// For messages: "U+4F60"
std::string code_point_name(char32_t character);

/// With the character itself: "U+4F60 '你'"
std::string quoted_character(char32_t character);

}  // namespace dragoman::utf8
